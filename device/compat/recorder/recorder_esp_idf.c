/*
 * ESP-IDF's heap recorded by the linker, 4.2 to 6.0 alike: compile this file and recorder_glue.c, and
 *
 *   target_link_options(${COMPONENT_LIB} INTERFACE "-Wl,@esp_idf_wrap.opt")
 *
 * with esp_idf_wrap.opt beside this file. ESP-IDF has hooks of its own (CONFIG_HEAP_USE_HOOKS, from 5.1
 * on), but calls that for a free after the block was given back: until then another task may have been
 * given it, and the events would stand in the wrong order. A wrapper comes first. It sees failed requests
 * with their caller, too, which the callback for those does not tell. CONFIG_HEAP_TRACING wraps the same
 * functions and cannot be used at the same time.
 */
#if defined(__has_include) && __has_include("esp_heap_caps.h")

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "esp_idf_version.h"

#include "recorder_glue.h"

static hs_recorder_t *recorder;

void hs_recorder_esp_idf(hs_recorder_t *to)
{
    recorder = to;
}

/* Capabilities of esp_heap_caps.h, the same bits in all releases. */
#define SPIRAM (UINT32_C(1) << 10)
#define INTERNAL (UINT32_C(1) << 11)
#define DEFAULT (UINT32_C(1) << 12) /* what malloc asks for */

/* Whether a block lies in external memory: of sets of capabilities that are tried in turn, the first whose
 * memory this is has served. */
#ifndef HS_RECORDER_IS_EXTERNAL
#if __has_include("esp_memory_utils.h")
#include "esp_memory_utils.h"
#else
#include "soc/soc_memory_layout.h"
#endif
#define HS_RECORDER_IS_EXTERNAL(block) esp_ptr_external_ram(block)
#endif

#define WRAP HS_RECORDER_WRAP
#define ONE(original, record) HS_RECORDER_ONE(recorder != NULL, original, record)

#define ALLOCATED(kind, size, caps)                                                                \
    hs_recorder_allocated(recorder, HS_EVENT_##kind, given, size, caps, HS_RECORDER_CALLER)
#define RESIZED(block, size, caps)                                                                 \
    hs_recorder_reallocated(recorder, block, given, size, caps, HS_RECORDER_CALLER)
#define ALIGNED(alignment, size, caps)                                                             \
    hs_recorder_aligned(recorder, given, size, hs_recorder_log2(alignment), caps,                  \
                        HS_RECORDER_CALLER)

/* ---- heap_caps_* ---- */

WRAP(void *, heap_caps_malloc, size_t size, uint32_t caps)
{
    ONE(__real_heap_caps_malloc(size, caps), ALLOCATED(MALLOC, size, caps));
}

WRAP(void *, heap_caps_malloc_default, size_t size)
{
    ONE(__real_heap_caps_malloc_default(size), ALLOCATED(MALLOC, size, DEFAULT));
}

WRAP(void *, heap_caps_calloc, size_t count, size_t size, uint32_t caps)
{
    ONE(__real_heap_caps_calloc(count, size, caps),
        ALLOCATED(CALLOC, hs_recorder_product(count, size), caps));
}

WRAP(void *, heap_caps_realloc, void *block, size_t size, uint32_t caps)
{
    ONE(__real_heap_caps_realloc(block, size, caps), RESIZED(block, size, caps));
}

WRAP(void *, heap_caps_realloc_default, void *block, size_t size)
{
    ONE(__real_heap_caps_realloc_default(block, size), RESIZED(block, size, DEFAULT));
}

WRAP(void *, heap_caps_aligned_alloc, size_t alignment, size_t size, uint32_t caps)
{
    ONE(__real_heap_caps_aligned_alloc(alignment, size, caps), ALIGNED(alignment, size, caps));
}

WRAP(void *, heap_caps_aligned_calloc, size_t alignment, size_t count, size_t size, uint32_t caps)
{
    ONE(__real_heap_caps_aligned_calloc(alignment, count, size, caps),
        ALIGNED(alignment, hs_recorder_product(count, size), caps));
}

/* memalign(), aligned_alloc() and posix_memalign() call it, from 5.3 on. */
#if ESP_IDF_VERSION >= ESP_IDF_VERSION_VAL(5, 3, 0)
WRAP(void *, heap_caps_aligned_alloc_default, size_t alignment, size_t size)
{
    ONE(__real_heap_caps_aligned_alloc_default(alignment, size), ALIGNED(alignment, size, DEFAULT));
}
#endif

WRAP(void, heap_caps_free, void *block)
{
    if (recorder != NULL && !hs_recorder_is_inside()) {
        hs_recorder_freed(recorder, block);
    }
    __real_heap_caps_free(block);
}

WRAP(void, heap_caps_aligned_free, void *block)
{
    const bool outermost = recorder != NULL && hs_recorder_enter();
    if (outermost) {
        hs_recorder_freed(recorder, block);
    }
    __real_heap_caps_aligned_free(block);
    if (outermost) {
        hs_recorder_leave();
    }
}

/* ---- several sets of capabilities in turn ---- */

#define SETS 6u /* more of them are not handed on; ESP-IDF's own calls have two */

typedef struct sets {
    uint32_t of[SETS];
    size_t count;
} sets_t;

/* A macro: a function cannot read another one's arguments and leave them as they are. */
#define READ_SETS(num)                                                                             \
    sets_t sets = {.count = num < SETS ? num : SETS};                                              \
    va_list arguments;                                                                             \
    va_start(arguments, num);                                                                      \
    for (size_t i = 0; i < sets.count; i++) {                                                      \
        sets.of[i] = va_arg(arguments, uint32_t);                                                  \
    }                                                                                              \
    va_end(arguments)
#define SETS_OF(sets)                                                                              \
    (sets).count, (sets).of[0], (sets).of[1], (sets).of[2], (sets).of[3], (sets).of[4], (sets).of[5]

HS_RECORDER_CODE static uint32_t served(const sets_t *sets, const void *block)
{
    if (block == NULL) {
        return sets->count != 0 ? sets->of[sets->count - 1u] : 0; /* the last one failed, too */
    }
    const uint32_t excluded = HS_RECORDER_IS_EXTERNAL(block) ? INTERNAL : SPIRAM;
    for (size_t i = 0; i < sets->count; i++) {
        if ((sets->of[i] & excluded) == 0) {
            return sets->of[i];
        }
    }
    return 0;
}

WRAP(void *, heap_caps_malloc_prefer, size_t size, size_t num, ...)
{
    READ_SETS(num);
    ONE(__real_heap_caps_malloc_prefer(size, SETS_OF(sets)),
        ALLOCATED(MALLOC, size, served(&sets, given)));
}

WRAP(void *, heap_caps_calloc_prefer, size_t count, size_t size, size_t num, ...)
{
    READ_SETS(num);
    ONE(__real_heap_caps_calloc_prefer(count, size, SETS_OF(sets)),
        ALLOCATED(CALLOC, hs_recorder_product(count, size), served(&sets, given)));
}

WRAP(void *, heap_caps_realloc_prefer, void *block, size_t size, size_t num, ...)
{
    READ_SETS(num);
    ONE(__real_heap_caps_realloc_prefer(block, size, SETS_OF(sets)),
        RESIZED(block, size, served(&sets, given)));
}

/* ---- malloc and its family, for the caller's sake: ESP-IDF's call the functions above ---- */

WRAP(void *, malloc, size_t size)
{
    ONE(__real_malloc(size), ALLOCATED(MALLOC, size, DEFAULT));
}

WRAP(void *, calloc, size_t count, size_t size)
{
    ONE(__real_calloc(count, size), ALLOCATED(CALLOC, hs_recorder_product(count, size), DEFAULT));
}

WRAP(void *, realloc, void *block, size_t size)
{
    ONE(__real_realloc(block, size), RESIZED(block, size, DEFAULT));
}

WRAP(void, free, void *block)
{
    const bool outermost = recorder != NULL && hs_recorder_enter();
    if (outermost) {
        hs_recorder_freed(recorder, block);
    }
    __real_free(block);
    if (outermost) {
        hs_recorder_leave();
    }
}

#endif
