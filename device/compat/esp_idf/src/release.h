/* The release of ESP-IDF that this is compiled for, and what each one asks of its heap. */
#ifndef HEAPSCOPE_ESP_RELEASE_H
#define HEAPSCOPE_ESP_RELEASE_H

#include <sdkconfig.h>

#ifdef ESP_PLATFORM
#include <esp_idf_version.h>
#define ESP_RELEASE (ESP_IDF_VERSION_MAJOR * 100 + ESP_IDF_VERSION_MINOR)
#else
#define ESP_RELEASE 601
#endif

#if ESP_RELEASE < 402
#error "Heapscope's component heap serves ESP-IDF 4.2 and later: this release is older"
#endif

/* The heap asks a function of another component which alignment the hardware wants. */
#define ESP_ALIGNS (ESP_RELEASE >= 503)
/* The heap has its own entry in the start-up; before, the start-up code calls heap_caps_init(). */
#ifdef ESP_PLATFORM
#define ESP_STARTS_ITSELF (ESP_RELEASE >= 503)
#else
#define ESP_STARTS_ITSELF 0
#endif
/* RTC FAST memory requested with MALLOC_CAP_EXEC is returned at its instruction-bus address. */
#define ESP_RTC_BY_CODE (ESP_RELEASE >= 502)
/* A region says whether a start-up stack lies in it; before, its type says so. */
#define ESP_REGION_HAS_STACK (ESP_RELEASE >= 502)
/* The text of an abort for want of memory names the size and the capabilities. */
#define ESP_ABORT_NAMES_SIZE (ESP_RELEASE >= 404)

/* The project wants no text of an assertion in its image, or no assertion. */
#if (defined(CONFIG_COMPILER_OPTIMIZATION_ASSERTIONS_SILENT) &&                                    \
     CONFIG_COMPILER_OPTIMIZATION_ASSERTIONS_SILENT) ||                                            \
    (defined(ESP_PLATFORM) && defined(NDEBUG))
#define ESP_SILENT 1
#else
#define ESP_SILENT 0
#endif

#endif
