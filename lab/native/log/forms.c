/* The table of forms. The first one that matches at a word wins. */
#include "form.h"

#define CUTS HS_LOG_FORM_CUTS
#define MEMORY HS_LOG_NO_MEMORY

const hs_log_form_t hs_log_forms[] = {
    /* ---- the start of a program: ESP-IDF 3.0 to 6.1 ---- */
    {HS_LOG_RESET, 0, "rst:%ve (%tN)", NULL, NULL},
    {HS_LOG_RESET, 0, "rst cause:%de", "", NULL}, /* ESP8266 */
    {HS_LOG_RESTART, 0, "Rebooting...", "", NULL},
    {HS_LOG_RESTART, 0, "Restarting in", "", NULL},
    {HS_LOG_RESTART, 0, "Reset Reason: %tN", NULL, NULL},
    {HS_LOG_CHIP, 0, "This chip is %wN", NULL, NULL},
    {HS_LOG_CHIP, 0, "This is %wN chip", NULL, NULL},
    {HS_LOG_CHIP, 0, "Chip: ESP32%wN", NULL, NULL},
    {HS_LOG_CHIP, 0, "ESP-ROM:esp%wN", NULL, NULL},
    {HS_LOG_CHIP_REVISION, 0, "Chip rev: %wN", NULL, NULL},
    {HS_LOG_IDF, 0, "ESP-IDF: %wN", NULL, NULL},
    {HS_LOG_IDF, 0, "ESP-IDF Version: %wN", NULL, NULL},
    {HS_LOG_IDF, 0, "ESP-IDF %wN 2nd stage", NULL, NULL},
    {HS_LOG_IDF, 0, "IDF v%wN", NULL, NULL},
    {HS_LOG_FRAMEWORK, 0, "MicroPython v%wT", "MicroPython", NULL},
    {HS_LOG_FRAMEWORK, 0, "CircuitPython %wT", "CircuitPython", NULL},
    {HS_LOG_APP, 0, "App version: %wN", NULL, NULL},
    {HS_LOG_PROJECT, 0, "Project name: %tN", NULL, NULL},
    {HS_LOG_SINGLE_CORE, 0, "Single core mode", NULL, NULL},
    {HS_LOG_SINGLE_CORE, 0, "Unicore app", NULL, NULL},
    {HS_LOG_BOOT_BEGIN, 0, "RAM available for dynamic allocation", NULL, NULL},
    {HS_LOG_BOOT_REGION, CUTS, "At %xa len %xs (%d- KiB): %tN", NULL, NULL},
    {HS_LOG_NEW_HEAP, 0, "New heap initialised at %xa", NULL, NULL},
    {HS_LOG_PSRAM_FOUND, 0, "Found %Ms B PSRAM device", NULL, NULL},
    {HS_LOG_PSRAM_MAPPED, 0, "much as we can. %MsB is mapped", NULL, NULL},
    {HS_LOG_PSRAM_POOL, 0, "Adding pool of %KsK of PSRAM memory{ %tT to the}", NULL, NULL},
    {HS_LOG_PSRAM_POOL, 0, "Adding pool of %KsK of external SPI memory", NULL, NULL},
    {HS_LOG_DMA_RESERVE, 0, "Reserving pool of %KsK of internal memory", NULL, NULL},
    {HS_LOG_RANGE_FREE, CUTS, "Available memory region %xa - %xs", NULL, NULL},
    {HS_LOG_RANGE_RESERVED, CUTS, "Reserved memory range %xa - %xs", NULL, NULL},
    /* ---- heap_caps_print_heap_info ---- */
    {HS_LOG_SUMMARY, 0, "Heap summary for capabilities %vc", NULL, NULL},
    {HS_LOG_REGION, CUTS, "At %xa len %ds free %df allocated %du min_free %dm", NULL, NULL},
    {HS_LOG_REGION_MORE, CUTS,
     "largest_free_block %dl alloc_blocks %dn free_blocks %dk total_blocks %dt", NULL, NULL},
    {HS_LOG_TOTALS, CUTS, "free %df allocated %du min_free %dm largest_free_block %dl", NULL, NULL},
    /* ---- a request that failed: the callback from 4.2 on, the abort from 5.1 on ---- */
    {HS_LOG_FAILED, MEMORY, "%<was called but failed to allocate %ds bytes with %vc capabilities",
     NULL, "callback"},
    {HS_LOG_ABORT_REQUEST, MEMORY, "Mem alloc fail. size %xs caps %xc", NULL, "abort"},
};

const size_t hs_log_form_count = sizeof hs_log_forms / sizeof hs_log_forms[0];

_Static_assert(sizeof hs_log_forms / sizeof hs_log_forms[0] <= HS_LOG_FORMS_MAX,
               "the index has room for all forms");
