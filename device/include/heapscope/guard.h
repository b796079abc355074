/*
 * The guard: a heap whose blocks carry canaries and their owner, so that corruption is found early and
 * attributed. From HS_GUARD_CANARIES on, a block of the heap holds, in this order: its site, where
 * sites are kept; a canary; the payload; and canary bytes up to the block's end, whose last word has
 * the size and the owner. Below that level it holds the payload and, at the end, owner and site. The
 * guard touches memory only by aligned words, in every form. docs/reference/guard.md has the measured
 * cost of each level, and the faults that it finds. Not reentrant, like the heap.
 *
 * With HS_GUARD 0 and HS_OWNERS 1 the level is HS_GUARD_OFF whatever is configured; with both 0 each
 * function is that of the heap.
 */
#ifndef HEAPSCOPE_GUARD_H
#define HEAPSCOPE_GUARD_H

#include "heapscope/config.h"
#include "heapscope/heap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each level includes those below. */
typedef enum hs_guard_level {
    HS_GUARD_OFF = -1,  /* only the heap's own checks: double free, foreign and interior pointers,
                            * sizes that contradict each other */
    HS_GUARD_LINKS = 0, /* the heap's shape and end, and links of free blocks and of slabs, are
                         * checked before a call follows them; no byte per block */
    HS_GUARD_CANARIES = 1, /* known bytes before and behind each payload, other ones at each place,
                            * checked when it is freed, resized or walked */
    HS_GUARD_FILL = 2,     /* free memory holds HS_FILL_FREE and fresh payload HS_FILL_FRESH in each
                            * byte: writes after a free are found when the memory is handed out or
                            * walked, uninitialised reads show */
    HS_GUARD_WALK = 3      /* every `walk_every` operations all blocks are checked */
} hs_guard_level_t;

#define HS_FILL_FREE 0xFEu /* as in ESP-IDF, so that dumps look familiar */
#define HS_FILL_FRESH 0xCEu

typedef enum hs_fault_kind {
    HS_FAULT_NOT_A_BLOCK = 1, /* free or realloc of an address where no used block begins: foreign,
                               * interior, or freed before */
    HS_FAULT_METADATA = 2,    /* the heap's own data contradict each other */
    HS_FAULT_HEAD = 3,        /* written before the payload */
    HS_FAULT_TAIL = 4,        /* written behind the payload */
    HS_FAULT_FREE = 5         /* written into free memory */
} hs_fault_kind_t;

#define HS_OWNER_NONE 0u /* rows of owners.h begin at 1 */
#define HS_OWNER_MAX 255u

typedef struct hs_fault {
    hs_fault_kind_t kind;
    const void *block; /* the payload of the damaged block; NULL where it is not known */
    const void *at;    /* the first wrong byte, or the address that was given */
    uint32_t owner;    /* of the block, HS_OWNER_NONE: not known */
    const void *site;  /* who allocated it, where sites are kept; else NULL */
} hs_fault_t;

/* The way on after the report of a fault that a call met. */
typedef enum hs_policy {
    HS_POLICY_REPORT =
        0, /* the call is refused (HS_ERR_CORRUPT or HS_ERR_ARGUMENT, NULL); the block
                            * stays allocated, so that its memory is never handed out again */
    HS_POLICY_CONTINUE = 1, /* the call goes on where the heap's own data allow it: a block whose
                             * canary is overwritten is freed nevertheless */
    HS_POLICY_HALT = 2      /* `report` is not expected to return; if it does, the guard loops for
                            * ever, so that a watchdog sees it */
} hs_policy_t;

typedef void (*hs_fault_report_t)(void *context, const hs_fault_t *fault);

/* All zero: HS_GUARD_LINKS, nothing per block, faults refused without a word. */
typedef struct hs_guard_config {
    hs_guard_level_t level;
    hs_policy_t policy;
    bool owners;         /* each block knows its owner: 1 byte; none more with canaries */
    bool sites;          /* each block knows who allocated it: a pointer more, which costs nothing
                          * where canaries have room for it before the payload */
    uint32_t alignment;  /* of payloads: 4, 8 or 16, and not more than the heap's blocks have; 0: as
                          * they have. Canaries take so many bytes before the payload */
    uint32_t walk_every; /* operations; 0: 1024 */
    hs_fault_report_t report;
    void *context;
} hs_guard_config_t;

/* The owner of a block, and the place in the program that allocated it. */
typedef struct hs_tag {
    uint32_t owner; /* to HS_OWNER_MAX */
    const void *site;
} hs_tag_t;

/* Like hs_heap_visit_t, with the tag of used blocks; `size` of a used block is its usable size. */
typedef bool (*hs_guard_visit_t)(void *context, void *block, size_t size, bool used, hs_tag_t tag);

#if HS_GUARD || HS_OWNERS

/* In the caller's memory; `config` must outlive it. */
typedef struct hs_guard {
    hs_heap_t *heap;
    const hs_guard_config_t *config;
    uint32_t until_walk;
} hs_guard_t;

/* The heap must be empty (at HS_GUARD_FILL its free memory is filled: O(size)). `config` NULL:
 * HS_GUARD_OFF, no owners. */
hs_status_t hs_guard_init(hs_guard_t *guard, hs_heap_t *heap, const hs_guard_config_t *config);

/* These keep the contracts of the functions of heap.h with the same names; sizes and addresses are those
 * of the payload. */
void *hs_guard_malloc(hs_guard_t *guard, size_t size, hs_tag_t tag);
void *hs_guard_calloc(hs_guard_t *guard, size_t count, size_t size, hs_tag_t tag);
void *hs_guard_aligned_alloc(hs_guard_t *guard, size_t alignment, size_t size, size_t offset,
                             hs_tag_t tag);
/* The block belongs to `tag` afterwards. */
void *hs_guard_realloc(hs_guard_t *guard, void *block, size_t size, hs_tag_t tag);
/* The same in steps, for a caller who gives its lock up while contents are copied. *moved: the block has
 * to go elsewhere, and the result is its new place, without the contents; the caller copies them and
 * frees the old block. Otherwise all is done as by realloc. Needs HS_LOCKS. */
void *hs_guard_resize(hs_guard_t *guard, void *block, size_t size, hs_tag_t tag, bool *moved);
hs_status_t hs_guard_free(hs_guard_t *guard, void *block);

/* With canaries exactly what was asked for; without, what the heap gave, less the owner. */
size_t hs_guard_usable_size(const hs_guard_t *guard, const void *block);
size_t hs_guard_full_size(const hs_guard_t *guard, const void *block);
void *hs_guard_containing_block(const hs_guard_t *guard, const void *address); /* O(n) */
hs_tag_t hs_guard_tag(const hs_guard_t *guard, const void *block);

bool hs_guard_fits(const hs_guard_t *guard, size_t alignment, size_t size, size_t offset);
size_t hs_guard_largest(const hs_guard_t *guard);

void hs_guard_walk(const hs_guard_t *guard, hs_guard_visit_t visit, void *context);

/* Makes all checks of the level; O(n) and, at HS_GUARD_FILL, O(bytes). Each call reports each fault that
 * it finds. HS_ERR_CORRUPT: there was one. */
hs_status_t hs_guard_check(hs_guard_t *guard);
/* The same for one block, O(1). HS_ERR_ARGUMENT, which is not reported: no used block begins there. */
hs_status_t hs_guard_check_block(hs_guard_t *guard, const void *block);

#else
#include "heapscope/guard_none.h"
#endif

#ifdef __cplusplus
}
#endif

#endif
