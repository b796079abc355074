/* The ways into a recorder: each is given the recorder that it fills; NULL: none. */
#ifndef HEAPSCOPE_RECORDER_GLUE_H
#define HEAPSCOPE_RECORDER_GLUE_H

#include "heapscope/recorder.h"
#include "heapscope/recorder_port.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hs_regions hs_regions_t;
typedef struct hs_heap hs_heap_t;

void hs_recorder_libc(hs_recorder_t *recorder);
void hs_recorder_esp_idf(hs_recorder_t *recorder);
void hs_recorder_regions(hs_recorder_t *recorder, const hs_regions_t *set);
void hs_recorder_heap(hs_recorder_t *recorder, const hs_heap_t *heap);

/* Two functions for a recorder's configuration, whose context is the set. */
size_t hs_recorder_regions_walk(void *set, uintptr_t after, hs_recorder_block_t *out,
                                size_t capacity);
bool hs_recorder_regions_region(void *set, unsigned index, hs_recorder_region_t *out);

/*
 * A library's realloc may call its own malloc and free, and the linker wraps those calls, too. All
 * between enter and leave is one request: the calls within it are not recorded. Both are for the caller's
 * task; with more than HS_RECORDER_TASKS tasks in such calls at the same time the calls of the others are
 * recorded. O(HS_RECORDER_TASKS).
 */
bool hs_recorder_enter(
    void); /* false: the caller is within such a request already, or there is no place */
void hs_recorder_leave(void);
bool hs_recorder_is_inside(void); /* O(1) while nobody is */

/* The number whose power of two an alignment is. Bound: the bits of a size. */
static inline unsigned hs_recorder_log2(size_t alignment)
{
    unsigned log2 = 0;
    while (log2 < 31u && (size_t)1 << log2 < alignment) {
        log2++;
    }
    return log2;
}

/* The product of calloc; a request of more than there can be where it overflows. */
static inline size_t hs_recorder_product(size_t count, size_t size)
{
    return size != 0 && count > SIZE_MAX / size ? SIZE_MAX : count * size;
}

/* Begins a function that the linker calls in place of `name` (--wrap=name). */
#define HS_RECORDER_WRAP(result, name, ...)                                                        \
    result __real_##name(__VA_ARGS__);                                                             \
    result __wrap_##name(__VA_ARGS__);                                                             \
    HS_RECORDER_CODE result __wrap_##name(__VA_ARGS__)

/* Returns what the call `original` gives. Where it is `wanted`, it is one request, which `record` tells of
 * and calls `given`; the calls within it are not recorded. */
#define HS_RECORDER_ONE(wanted, original, record)                                                  \
    do {                                                                                           \
        if (!(wanted) || !hs_recorder_enter()) {                                                   \
            return original;                                                                       \
        }                                                                                          \
        void *const given = original;                                                              \
        hs_recorder_leave();                                                                       \
        record;                                                                                    \
        return given;                                                                              \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
