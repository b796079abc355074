/*
 * Patterns in free memory. Every word of a free block holds HS_FILL_FREE but those that are the
 * heap's own: its first three (links and size) and its last (the size's complement). When blocks merge,
 * the words inside that were the heap's own are filled again at once.
 */
#ifndef HEAPSCOPE_GUARD_FILL_H
#define HEAPSCOPE_GUARD_FILL_H

#include "links.h"

#if HS_GUARD || HS_OWNERS

#define HS_OWN_WORDS 3u /* of the heap at the beginning of a free block; one more at its end */

/* Fills the part of [from, to) that lies in the free block at `block` and is not the heap's own. */
void hs_guard_fill_free(const hs_heap_t *heap, uint32_t block, uintptr_t from, uintptr_t to);

/* Whole words and the last bytes of the one that `from` lies in. `to` is on a word. */
void hs_guard_fill_fresh(uintptr_t from, uintptr_t to);

/* The first wrong byte in the first `words` words of the free block at `block`; NULL: none. */
const void *hs_guard_wrong_free(const hs_heap_t *heap, uint32_t block, uint32_t words);

/* The same in [from, to). */
const void *hs_guard_wrong_fill(uintptr_t from, uintptr_t to);

#endif

#endif
