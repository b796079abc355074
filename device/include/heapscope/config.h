/*
 * The parts that are compiled in. Each may be set on the compiler's command line, to the same value for
 * the library and for its users; a part that is left out costs no byte of code or memory.
 */
#ifndef HEAPSCOPE_CONFIG_H
#define HEAPSCOPE_CONFIG_H

/* 1: the heap is compiled for the fewest bytes of code: what its operations share is a function of its
 * own, and both forms have one code. Results and layout are the same. Build it with -Os. */
#ifndef HS_LEAN
#define HS_LEAN 0
#endif

/* 1: the wide and the word-only form (heap.h). Without them hs_heap_create() gives NULL for either, and
 * uses HS_SMALL_MAX bytes, 524,032, of a larger region. */
#ifndef HS_WIDE
#define HS_WIDE 1
#endif

/* 1: a block can also be taken from the high end of a free one, so that long-lived blocks lie apart from
 * short-lived ones (hs_heap_set_end, HS_CAP_HIGH). 0: none of it is compiled. */
#ifndef HS_ENDS
#define HS_ENDS 0
#endif

/* 1: a block can also be taken from the high end of a free one, so that long-lived blocks lie apart from
 * short-lived ones (hs_heap_set_end, HS_CAP_HIGH). 0: none of it is compiled. */
#ifndef HS_ENDS
#define HS_ENDS 0
#endif

/* 1: blocks can be guarded (guard.h), the level being chosen at run time. */
#ifndef HS_GUARD
#define HS_GUARD 1
#endif

/* 1: blocks know their owners (owners.h). */
#ifndef HS_OWNERS
#define HS_OWNERS 1
#endif

/* 1: private heaps (private.h). */
#ifndef HS_PRIVATE
#define HS_PRIVATE 1
#endif

/* 1: named pools and pools of fixed blocks (pool.h, fixed.h). */
#ifndef HS_POOLS
#define HS_POOLS 1
#endif

/* Regions that one set can have, 1 to 32 (regions.h). */
#ifndef HS_REGIONS_MAX
#define HS_REGIONS_MAX 32
#endif

/* 1: a set of regions takes the locks that its configuration names. 0: it takes none, for a program of
 * one task whose handlers do not allocate. */
#ifndef HS_LOCKS
#define HS_LOCKS 1
#endif

/* The locks of a set: one for each region, by its index, and these two (regions.h). */
#define HS_LOCK_SET HS_REGIONS_MAX
#define HS_LOCK_OWNERS (HS_REGIONS_MAX + 1)
#define HS_LOCK_COUNT (HS_REGIONS_MAX + 2)

/* Memory kinds that the count of owners' bytes tells apart, 1 to 8 (owners.h). */
#ifndef HS_KINDS_MAX
#define HS_KINDS_MAX 4
#endif

#endif
