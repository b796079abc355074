/*
 * One interface for every allocator that Heapscope rebuilds.
 *
 * A model is an allocator's exact behaviour on a 32-bit chip. It works on a host copy of one
 * region: `mem[0]` is the region's first byte and `base` is that byte's address on the chip. All
 * positions are offsets from the region's start; host pointers never take part. All arithmetic is
 * modulo 2^32, as on the chip. Where a rule depends on an absolute address (alignment), the address
 * is base + offset.
 *
 * Models store their metadata in `mem` where the real allocator stores it; payload bytes are never
 * read or written (a realloc that moves only counts the bytes). The data that a model keeps beside `mem`
 * (tally, steps, caches) never change a result.
 *
 * hs_sim_*() is the whole interface for callers. It adds what poisoning and task tracking put around
 * a block (sim.c), keeps the low-water marks and is the only caller of the functions in struct
 * hs_model. A simulated heap is hs_sim; hs_heap is the device's own.
 */
#ifndef HEAPSCOPE_MODEL_H
#define HEAPSCOPE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"

#define HS_NONE UINT32_C(0xFFFFFFFF) /* the result of a call that returned NULL */

typedef struct hs_model hs_model_t;
typedef struct hs_sim hs_sim_t;
typedef struct hs_index hs_index_t;

/* Work done by the algorithm since creation; the model's time, never the allocator's (DESIGN). */
typedef struct hs_steps {
    uint64_t nodes;  /* list nodes or blocks visited in searches */
    uint64_t bins;   /* bins or bitmap words looked at */
    uint64_t writes; /* 32-bit metadata words written */
    uint64_t copied; /* payload bytes copied by realloc, or zeroed by calloc */
} hs_steps_t;

/* The true state, exact after every operation; bytes. The rest of the region's size, size - control -
 * used - free, is block headers, sentinels and bytes lost to rounding its ends. */
typedef struct hs_tally {
    uint32_t control; /* heap structure and tables */
    uint32_t used;    /* payload bytes of used blocks, as handed out by the raw allocator */
    uint32_t free;    /* payload bytes of free blocks */
    uint32_t used_blocks;
    uint32_t free_blocks;  /* 0 where the model has free_blocks() */
    uint32_t minimum_free; /* low-water mark of `free`, moments inside an operation included */
    uint32_t lowest_free;  /* the same since an observer last set it to `free` */
} hs_tally_t;

/* The figures that this allocator version's own interface would give, with its known faults; bytes. */
typedef struct hs_reported {
    uint32_t free;
    uint32_t minimum_free;
    uint32_t largest_free;
    uint32_t allocated;
} hs_reported_t;

/* One block seen by a walk; offset and size are those of the raw payload (poison included). */
typedef struct hs_walk_block {
    uint32_t offset;
    uint32_t size;
    bool used;
} hs_walk_block_t;

typedef bool (*hs_walk_fn)(void *context, const hs_walk_block_t *block); /* false stops the walk */

/* Where a version keeps the task of a block. */
typedef enum hs_tracking {
    HS_TRACKING_NONE = 0,
    HS_TRACKING_IN_POISON = 1, /* in the poison's head, which is switched on by it */
    HS_TRACKING_IN_FRONT = 2,  /* in front of what the program gets, by the layer above the heap */
    HS_TRACKING_IN_BLOCK = 3,  /* where the model itself puts it */
    HS_TRACKING_LISTED =
        4 /* in front, and the layer lists the blocks in others (chip/task_lists.h) */
} hs_tracking_t;

/* When malloc is sure to serve a request. Free neighbours are one block in all models that say it. */
typedef enum hs_search {
    HS_SEARCH_UNKNOWN = 0,
    HS_SEARCH_ANY = 1,    /* some free block alone would serve it */
    HS_SEARCH_LOWEST = 2, /* so, and it takes the lowest of those that would */
    HS_SEARCH_BINS = 3,   /* some free block alone would serve 5/4 of it, in whole granules */
} hs_search_t;

/*
 * The functions of a model. Offsets are raw payload offsets; every function may assume a created
 * heap and an offset that the heap handed out and that is still used.
 */
struct hs_model {
    const char *name;  /* e.g. "idf-5.5" */
    const char *title; /* one line for people */
    const void *build; /* what the model's file knows of it, where it has several */
    /* The model that puts every block without poisoning where this one does, which only reports
     * other figures; NULL: itself. */
    const char *places_as;
    size_t state_size;         /* bytes of the model's struct, whose first member is hs_sim_t */
    uint32_t granule;          /* every payload size is a multiple of this; bytes */
    bool poisonable;           /* `+light` exists for it, and `+full` where ESP-IDF has it */
    hs_tracking_t tracking;    /* `+track` */
    bool guardable;            /* `+guard1` to `+guard3` exist for it */
    bool has_realloc;          /* false: hs_sim_realloc allocates, copies and frees */
    bool has_aligned;          /* false: hs_sim_aligned always fails */
    bool serves_up_to_largest; /* malloc serves every size from 1 to largest_allocatable */
    /* A free directly after its own malloc leaves every block and every later answer as if neither had
     * been asked for (docs/design/fit.md). */
    bool undoes_malloc;
    /* A program without a refused request on a region has none on every larger one with the same start, and
     * each block lies at the same place (docs/design/fit.md). */
    bool keeps_places;
    hs_search_t search;
    bool aligned_is_own; /* blocks of aligned() must go to aligned_free() and cannot be realloced */
    /* A power of two: mem[0] lies on the host where it lies on the chip, modulo this or the power of
     * two above the region's size, whichever is less. 0: anywhere. */
    uint32_t host_alignment;

    /* Sets up an empty heap over the whole region. HS_ERR_MEMORY: the region is too small (or, for
     * some versions, too large) for this allocator. */
    hs_status_t (*create)(hs_sim_t *heap);
    uint32_t (*malloc)(hs_sim_t *heap, uint32_t size);
    void (*free)(hs_sim_t *heap, uint32_t offset);
    uint32_t (*realloc)(hs_sim_t *heap, uint32_t offset, uint32_t size); /* size > 0 */
    /* The byte at result + at is aligned, for versions that honour `at`. */
    uint32_t (*aligned)(hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at);
    void (*aligned_free)(hs_sim_t *heap, uint32_t offset);
    uint32_t (*usable)(const hs_sim_t *heap, uint32_t offset);
    uint32_t (*aligned_usable)(const hs_sim_t *heap, uint32_t offset);
    /* Would malloc (align 0) or aligned succeed now? Pure. */
    bool (*fits)(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at);
    /* Largest request below the wrap-around of 32-bit rounding for which malloc succeeds now. O(1)
     * amortised. Pure but for caches. */
    uint32_t (*largest_allocatable)(hs_sim_t *heap);
    uint32_t (*largest_free)(const hs_sim_t *heap); /* may walk */
    uint32_t (*free_blocks)(const hs_sim_t *heap);  /* may walk; NULL: the tally has them */
    void (*reported)(const hs_sim_t *heap, hs_reported_t *out); /* without poisoning; may walk */
    void (*walk)(const hs_sim_t *heap, hs_walk_fn visit, void *context); /* address order */
    /* The free ones alone, in any order, of a heap that is not damaged; NULL: `walk` finds them. */
    void (*walk_free)(const hs_sim_t *heap, hs_walk_fn visit, void *context);
    void (*forget_low)(hs_sim_t *heap); /* its own low-water mark begins now; NULL: it cannot */
    /* From then on malloc and a realloc that moves take from the high end of a free block, or from the
     * low one, as at first; NULL: it has one end. */
    void (*set_end)(hs_sim_t *heap, bool high);
    /* A number that tells new heaps alike, 0 where it cannot: two of one number serve and refuse the same
     * requests, those with an alignment left aside, and have each block at the same distance from the first
     * (docs/design/fit.md). One function serves all models that have it. */
    uint32_t (*likeness)(const hs_sim_t *heap);
    /* Full integrity check of `mem` against the rules and the tally. On HS_ERR_CORRUPT, *where is
     * the offset of the first thing wrong. */
    hs_status_t (*check)(const hs_sim_t *heap, uint32_t *where);
};

/* A model and how it is built. */
typedef struct hs_allocator {
    const hs_model_t *model;
    bool light; /* light poisoning, or comprehensive */
    bool full;  /* comprehensive poisoning: as light, and no realloc stays in place */
    bool track; /* task tracking; light poisoning too where the version has no other way */
    /* The rest is of our own heap; no matter to models of other allocators. */
    uint8_t guard;  /* hs_guard_level_t */
    bool word_only; /* for memory without byte access */
    uint32_t front; /* bytes of the region before the heap: control data of the set of regions */
    /* A pool of fixed blocks alone has these: bytes of a block, and its alignment. */
    uint32_t block, alignment;
} hs_allocator_t;

/* Bytes that poisoning and task tracking put around every block. */
typedef struct hs_around {
    uint32_t front;  /* from the raw payload to the program's */
    uint32_t behind; /* the program's last byte */
    uint32_t poison; /* those of them that the version's interface takes off what it reports */
    uint32_t owner;  /* those of the task in front, which the layer above the heap asks for */
} hs_around_t;

/* A model's state begins with this. Fields are for models and the functions below. */
struct hs_sim {
    const hs_model_t *model;
    uint8_t *mem;             /* host copy of the region, `size` bytes */
    void *memory;             /* what holds `mem`, to be freed */
    uint32_t base;            /* address of mem[0] on the chip */
    uint32_t size;            /* bytes */
    hs_allocator_t allocator; /* what it was made as */
    hs_around_t around;
    bool places_alone; /* the caller wants places and nothing that is counted: tally, steps and what
                          is reported may be left as they are */
    uint32_t largest;  /* what model->largest_allocatable() says, or HS_NONE: it has to be asked */
    hs_tally_t tally;
    hs_steps_t steps;
    hs_index_t *index; /* of the free blocks, beside `mem` (free_index.h); NULL: none */
};

/* ---- one heap on one region ------------------------------------------------------------------- */

/* A new heap over `size` bytes at chip address `base`; takes `size` bytes of zeroed host memory.
 * NULL: *why (may be NULL) says HS_ERR_MEMORY (region unfit for this allocator, or reaching the end
 * of the 32-bit address space, or no host memory) or HS_ERR_ARGUMENT (no such flavour). */
hs_sim_t *hs_sim_new(hs_allocator_t allocator, uint32_t base, uint32_t size, hs_status_t *why);
hs_sim_t *hs_sim_clone(const hs_sim_t *heap); /* an independent copy; NULL without host memory */
void hs_sim_delete(hs_sim_t *heap);           /* NULL is fine */
/* Makes a new heap of ESP-IDF hold these blocks, which are as hs_sim_walk would show them; low-water
 * marks and steps begin there. `holes`: offsets of the holes that TLSF will take first, those of one size
 * class in this order; of the others it takes the highest first. HS_ERR_ARGUMENT: another allocator, or the
 * heap is not new; HS_ERR_FORMAT: these blocks do not make up its memory, two holes are neighbours, or a
 * hole is not among the blocks; HS_ERR_MEMORY. The heap is then of no use any more. */
hs_status_t hs_sim_load(hs_sim_t *heap, const hs_walk_block_t *blocks, uint32_t count,
                        const uint32_t *holes, uint32_t hole_count);
/* A block as the program knows it. */
typedef struct hs_laid {
    uint32_t offset;
    uint32_t size; /* that it asked for */
    bool held;     /* or, when this is set, all that it may use */
} hs_laid_t;

/* Makes a heap hold just these blocks, which lie in the order of their offsets, whatever it held before;
 * low-water marks and steps begin there. TLSF will take the lowest of the holes of one size first, and a
 * block before a hole has what malloc gives now where `held` is not set: blocks alone do not tell it. false: this allocator cannot have them there, or no host memory; the heap is as it
 * was. O(blocks) calls of its malloc. */
bool hs_sim_lay(hs_sim_t *heap, const hs_laid_t *blocks, size_t count);
/* The modulus by which mem[0] is congruent to base; 1: none (host_alignment). */
uint32_t hs_sim_modulus(const hs_sim_t *heap);

/* Payload offset as the program sees it (behind the poison's head), or HS_NONE. */
uint32_t hs_sim_malloc(hs_sim_t *heap, uint32_t size);
uint32_t hs_sim_calloc(hs_sim_t *heap, uint32_t size);
/* size 0 frees and returns HS_NONE. A failed realloc leaves the block as it was. */
uint32_t hs_sim_realloc(hs_sim_t *heap, uint32_t offset, uint32_t size);
/* `align` is a power of two up to 2^30, `at` at most `size`; anything else returns HS_NONE. The byte
 * at result + (`at` rounded up to 4) is aligned, where the version honours `at`. */
uint32_t hs_sim_aligned(hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at);
/* `aligned` says that the block came from hs_sim_aligned. */
void hs_sim_free(hs_sim_t *heap, uint32_t offset, bool aligned);
/* Bytes that poisoning and task tracking add to every block. */
static inline uint32_t hs_sim_overhead(const hs_sim_t *heap)
{
    return heap->around.front + heap->around.behind;
}
/* Bytes the program may use at `offset`; at least what it asked for. */
uint32_t hs_sim_usable(const hs_sim_t *heap, uint32_t offset, bool aligned);

bool hs_sim_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at);
uint32_t hs_sim_find_largest(hs_sim_t *heap); /* asks the model; without poisoning */
static inline uint32_t hs_sim_largest_allocatable(hs_sim_t *heap) /* 0: none can be allocated */
{
    const uint32_t largest = heap->largest != HS_NONE ? heap->largest : hs_sim_find_largest(heap);
    const uint32_t around = hs_sim_overhead(heap);
    return largest > around ? largest - around : 0;
}
uint32_t hs_sim_free_blocks(const hs_sim_t *heap);  /* may walk */
uint32_t hs_sim_largest_free(const hs_sim_t *heap); /* true largest payload of a free block */
void hs_sim_reported(const hs_sim_t *heap, hs_reported_t *out);
/* The bytes that it reports as free before poisoning takes its bytes off, which it does down to 0. */
uint32_t hs_sim_counted_free(const hs_sim_t *heap);
void hs_sim_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context);
/* The free blocks, in any order; may show used ones, too. Without damage alone. */
void hs_sim_walk_free(const hs_sim_t *heap, hs_walk_fn visit, void *context);
hs_status_t hs_sim_check(const hs_sim_t *heap, uint32_t *where);

#endif
