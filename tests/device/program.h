/* Random programs on a shadowed heap: sizes at which something changes, and the calls in any order. */
#ifndef HEAPSCOPE_TESTS_DEVICE_PROGRAM_H
#define HEAPSCOPE_TESTS_DEVICE_PROGRAM_H

#include "shadow_calls.h"

typedef struct program {
    shadow_t shadow;
    check_random_t *random;
    unsigned long refused; /* requests that found no room */
    unsigned long moved;   /* reallocs that left their place */
} program_t;

/* Slots, exact bins, blocks about the size from which it is stored, parts of the heap, all of it, and
 * more than there is. */
static inline size_t program_size(program_t *program)
{
    check_random_t *random = program->random;
    const shadow_t *shadow = &program->shadow;
    uint32_t total = (uint32_t)(shadow->end - shadow->first);
    switch (check_below(random, 16)) {
    case 0:
    case 1:
    case 2:
        return 1 + check_below(random, SHADOW_GRANULE);
    case 3:
    case 4:
    case 5:
        return 1 + check_below(random, 130);
    case 6:
        return 490 + check_below(random, 60);
    case 7:
        return shadow->largest + 24 - check_below(random, 48);
    case 8:
        return check_below(random, total + 32);
    case 9:
        return check_below(random, 40) == 0 ? 0
                                            : SIZE_MAX >> check_below(random, sizeof(size_t) * 5);
    default:
        return 9 + check_below(random, (total >> (3 + check_below(random, 9))) + 1);
    }
}

static inline void program_malloc(program_t *program)
{
    shadow_t *shadow = &program->shadow;
    size_t size = program_size(program);
    void *block;
    if (check_below(program->random, 4) == 0) {
        size_t count = 1 + check_below(program->random, 5);
        if (check_below(program->random, 50) == 0) {
            size = SIZE_MAX / count + check_below(program->random, 3);
        }
        block = shadow_calloc(shadow, count, size);
    } else {
        block = shadow_malloc(shadow, size);
    }
    program->refused += block == NULL ? 1 : 0;
}

static inline void program_aligned(program_t *program)
{
    check_random_t *random = program->random;
    size_t alignment = (size_t)1 << check_below(random, 13);
    size_t size = program_size(program);
    size_t offset = 0;
    if (check_below(random, 2) == 0) {
        offset = SHADOW_GRANULE * check_below(random, 12);
    }
    if (check_below(random, 8) == 0) {
        offset = check_below(random, 40);
    }
    if (check_below(random, 16) == 0) {
        alignment = check_below(random, 70);
    }
    shadow_aligned(&program->shadow, alignment, size, offset);
}

static inline void program_realloc(program_t *program, size_t index)
{
    shadow_t *shadow = &program->shadow;
    const shadow_block_t *block = &shadow->blocks[index];
    const uint8_t *at = block->at;
    size_t size = program_size(program);
    if (check_below(program->random, 2) == 0) { /* by little, either way */
        size = block->size + 24 - check_below(program->random, 48);
    }
    index = shadow_realloc(shadow, index, size == 0 ? 1 : size);
    program->refused += index == SIZE_MAX ? 1 : 0;
    program->moved += index != SIZE_MAX && shadow->blocks[index].at != at ? 1 : 0;
}

/* One call; `greed` of 16 are those that take memory. */
static inline void program_step(program_t *program, uint32_t greed)
{
    shadow_t *shadow = &program->shadow;
    check_random_t *random = program->random;
    uint32_t choice = check_below(random, 16);
    size_t index = shadow->count == 0 ? 0 : check_below(random, (uint32_t)shadow->count);
    if (check_below(random, 100) == 0) {
        size_t old = shadow->minimum;
        shadow_reset_minimum(shadow);
        if (check_below(random, 2) == 0) {
            shadow_restore_minimum(shadow, check_below(random, 2) == 0 ? old : shadow->free + 8);
        }
    }
    if (shadow->count == 0 || choice < greed) {
        if (choice % 4 == 3) {
            program_aligned(program);
        } else {
            program_malloc(program);
        }
    } else if (choice < greed + (16 - greed) / 2) {
        program_realloc(program, index);
    } else {
        shadow_free(shadow, index);
    }
}

#endif
