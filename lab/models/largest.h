/*
 * The largest of the free sizes of a heap, kept so that the largest request is known after every
 * operation without a walk over the free list. Beside the largest size it holds a bound for all the
 * others: when the largest block is split, as the end of a heap is over and over, its rest is the
 * largest again if it is not below that bound. Only otherwise must the owner walk, and only when
 * asked.
 */
#ifndef HEAPSCOPE_MODELS_LARGEST_H
#define HEAPSCOPE_MODELS_LARGEST_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: no free block. */
typedef struct hs_largest {
    uint32_t size;   /* the largest size; an upper bound of all if not known */
    uint32_t others; /* upper bound of all but one block of the largest size */
    bool unknown;
} hs_largest_t;

/* A free block of `size` has come to be. */
static inline void hs_largest_add(hs_largest_t *largest, uint32_t size)
{
    if (size >= largest->size) {
        largest->others = largest->size;
        largest->size = size;
        largest->unknown = false;
    } else if (size > largest->others) {
        largest->others = size;
    }
}

/* A free block of `size` is gone. */
static inline void hs_largest_take(hs_largest_t *largest, uint32_t size)
{
    if (!largest->unknown && size == largest->size) {
        largest->size = largest->others;
        largest->unknown = largest->others != 0;
    }
}

/* May `kept` stand for the heap of which `seen` was made by adding every free block? */
static inline bool hs_largest_agrees(const hs_largest_t *kept, const hs_largest_t *seen)
{
    bool size_agrees = kept->unknown ? seen->size <= kept->size : seen->size == kept->size;
    return size_agrees && seen->others <= kept->others;
}

#endif
