/*
 * A random program on one heap, with the shadow model that knows which blocks it holds. Every
 * operation is checked against the shadow; what a test adds is what it does between the steps.
 */
#ifndef HEAPSCOPE_TESTS_MODELS_PROGRAM_H
#define HEAPSCOPE_TESTS_MODELS_PROGRAM_H

#include <string.h>

#include "allocators/allocators.h"
#include "check.h"
#include "kinds.h"
#include "model.h"

#define PROGRAM_BLOCKS_MAX 400

typedef struct program_block {
    uint32_t offset;
    uint32_t size;
    bool aligned;
} program_block_t;

typedef struct program {
    const char *name; /* of the allocator, for messages */
    hs_sim_t *heap;
    check_random_t *random;
    uint32_t size_max;
    uint32_t failures;
    size_t count;
    program_block_t blocks[PROGRAM_BLOCKS_MAX];
} program_t;

static inline void program_open(program_t *program, const char *name, uint32_t base, uint32_t size,
                                check_random_t *random)
{
    hs_allocator_t allocator;
    hs_status_t why = HS_ERR_FORMAT;
    memset(program, 0, sizeof *program);
    CHECK(hs_allocator_parse(name, &allocator) == HS_OK, "%s", name);
    program->name = name;
    program->random = random;
    program->size_max = size / 24;
    base = (base & ~(kind_base(name) - 1)) - kind_more(name);
    size += kind_more(name);
    program->heap = hs_sim_new(allocator, base, size, &why);
    CHECK(program->heap != NULL && why == HS_OK, "%s, %u bytes: %d", name, size, (int)why);
}

static inline void program_close(program_t *program)
{
    hs_sim_delete(program->heap);
}

static inline bool program_is_own(const char *name)
{
    return strncmp(name, "heapscope", 9) == 0;
}

/* Whether no other allocator places as this one does, apart from flavours. */
static inline bool program_is_itself(const char *name)
{
    const size_t length = strcspn(name, "+");
    const char *as = hs_allocator_places_as(name);
    return strlen(as) == length && strncmp(as, name, length) == 0;
}

/* How many of so many steps an allocator makes: a fifth, if another one that makes them all places as
 * it does, or the oracle has long answers of it alone. */
static inline int program_steps(const char *name, int steps)
{
    const bool all = program_is_itself(name) && !kind_is_of_the_field(name);
    return check_rounds(all ? steps : steps / 5);
}

/* ESP-IDF since v4.3, with any flavours. */
static inline bool program_is_idf_tlsf(const char *name)
{
    return strncmp(name, "idf-", 4) == 0 && strncmp(name, "idf-3", 5) != 0 &&
           strncmp(name, "idf-4.2", 7) != 0;
}

/* The next allocator that runs other code than those before it, from index *i on; NULL: none. The
 * tables of TLSF for other sizes are left out but for one, and of a model that places blocks as another
 * does all flavours but light poisoning: its figures are its own. */
static inline const char *program_next(size_t *i)
{
    const char *name;
    while ((name = hs_allocator_name((*i)++)) != NULL) {
        const char *flavour = name + strcspn(name, "+");
        const bool is_simple = flavour[0] == 0 || strcmp(flavour, "+light") == 0;
        if (strstr(name, "-fl") == NULL && (program_is_itself(name) || is_simple)) {
            return name;
        }
    }
    return NULL;
}

/* ESP-IDF takes the offset that is to be aligned from v4.3 on, our heap a multiple of its own
 * alignment; all others align the block's start. */
static inline bool program_honours_at(const program_t *program, uint32_t at)
{
    return program_is_idf_tlsf(program->name) ||
           (program_is_own(program->name) &&
            at % (strcmp(program->name, "heapscope-16") == 0 ? 16 : 8) == 0);
}

static inline bool program_may_realloc(const program_t *program, const program_block_t *block)
{
    return !(block->aligned && program->heap->model->aligned_is_own);
}

/* In range, large enough, and apart from every other block. */
static inline void program_check_block(const program_t *program, size_t index)
{
    const program_block_t *block = &program->blocks[index];
    uint32_t usable = hs_sim_usable(program->heap, block->offset, block->aligned);
    CHECK(usable >= block->size, "%s: usable %u, wanted %u", program->name, usable, block->size);
    CHECK(block->offset >= program->heap->tally.control, "%s: at %u", program->name, block->offset);
    CHECK((uint64_t)block->offset + usable <= program->heap->size, "%s: %u bytes at %u",
          program->name, usable, block->offset);
    for (size_t i = 0; i < program->count; i++) {
        const program_block_t *other = &program->blocks[i];
        uint32_t other_usable = hs_sim_usable(program->heap, other->offset, other->aligned);
        CHECK(i == index || block->offset + usable <= other->offset ||
                  other->offset + other_usable <= block->offset,
              "%s: %u bytes at %u overlap %u at %u", program->name, usable, block->offset,
              other_usable, other->offset);
    }
}

static inline uint32_t program_size(program_t *program)
{
    /* Mostly small sizes, up to the maximum in a log-uniform way; never 0. */
    uint32_t limit = program->size_max >> check_below(program->random, 8);
    return 1 + check_below(program->random, limit + 16);
}

static inline void program_add(program_t *program, uint32_t offset, uint32_t size, bool aligned)
{
    if (offset == HS_NONE) {
        program->failures++;
        return;
    }
    program->blocks[program->count] = (program_block_t){offset, size, aligned};
    program->count++;
    program_check_block(program, program->count - 1);
}

static inline void program_malloc(program_t *program)
{
    uint32_t size = program_size(program);
    bool zeroed = check_below(program->random, 4) == 0;
    program_add(program,
                zeroed ? hs_sim_calloc(program->heap, size) : hs_sim_malloc(program->heap, size),
                size, false);
}

static inline void program_aligned(program_t *program)
{
    hs_sim_t *heap = program->heap;
    uint32_t align = UINT32_C(1) << check_below(program->random, 9);
    uint32_t size = program_size(program) + 16;
    uint32_t at = 4 * check_below(program->random, 4);
    uint32_t offset = hs_sim_aligned(heap, align, size, at);
    if (offset != HS_NONE) {
        /* Without `at`, with poisoning, it is the poison's head that is aligned. */
        bool honours_at = program_honours_at(program, at);
        const uint32_t front = kind_aligns_program(program->name) ? 0 : heap->around.front;
        uint32_t shift = honours_at ? at : 0u - front;
        uint32_t address = heap->base + offset + shift;
        CHECK(address % align == 0, "%s: %u to %u", program->name, offset, align);
    }
    program_add(program, offset, size, true);
}

static inline void program_realloc(program_t *program, size_t index)
{
    program_block_t *block = &program->blocks[index];
    uint32_t size = program_size(program);
    uint32_t offset = hs_sim_realloc(program->heap, block->offset, size);
    if (offset == HS_NONE) {
        program->failures++;
    } else {
        *block = (program_block_t){offset, size, false};
    }
    program_check_block(program, index);
}

static inline void program_free(program_t *program, size_t index)
{
    program_block_t block = program->blocks[index];
    if (!block.aligned && check_below(program->random, 8) == 0) {
        CHECK(hs_sim_realloc(program->heap, block.offset, 0) == HS_NONE, "%s", program->name);
    } else {
        hs_sim_free(program->heap, block.offset, block.aligned);
    }
    program->count--;
    program->blocks[index] = program->blocks[program->count];
}

static inline void program_step(program_t *program)
{
    uint32_t choice = check_below(program->random, 16);
    size_t index = program->count == 0 ? 0 : check_below(program->random, (uint32_t)program->count);
    bool room = program->count < PROGRAM_BLOCKS_MAX;
    if (program->count == 0 || (room && choice < 6)) {
        program_malloc(program);
    } else if (room && choice < 8) {
        if (program->heap->model->has_aligned) {
            program_aligned(program);
        } else {
            program_malloc(program);
        }
    } else if (choice < 11 && program_may_realloc(program, &program->blocks[index])) {
        program_realloc(program, index);
    } else {
        program_free(program, index);
    }
}

static inline void program_check_heap(const program_t *program)
{
    uint32_t where = 0;
    CHECK(hs_sim_check(program->heap, &where) == HS_OK, "%s: fault at %u", program->name, where);
}

#endif
