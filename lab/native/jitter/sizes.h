/*
 * The sizes that each call site has shown. A site is a task's call at one place with the same
 * capabilities and alignment; where a trace names no places, it is the same between one power of two
 * and the next. A sample of 16 sizes is kept of each site, each request with the same chance, and the
 * least and the most. Memory: at most 65,536 sites of 104 bytes; later ones are not known.
 * Find, note: O(1) expected.
 */
#ifndef HEAPSCOPE_NATIVE_SIZES_H
#define HEAPSCOPE_NATIVE_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/trace.h"

#define HS_SIZES_KEPT 16u
#define HS_SIZES_SITES_MAX 65536u

typedef struct hs_sizes_site {
    uint64_t place, caller; /* who it is */
    uint64_t seen;          /* requests */
    uint32_t least, most;   /* bytes */
    uint32_t kept[HS_SIZES_KEPT];
} hs_sizes_site_t;

typedef struct hs_sizes {
    hs_sizes_site_t *sites;
    uint32_t *slots; /* index plus 1; 0: empty */
    size_t count, capacity;
} hs_sizes_t;

void hs_sizes_free(hs_sizes_t *sizes);
/* Takes the size of a request in, which is neither 0 nor above 32 bits. False: no host memory. */
bool hs_sizes_note(hs_sizes_t *sizes, const hs_event_t *event);
/* NULL: it was not seen, or among the first HS_SIZES_SITES_MAX. */
const hs_sizes_site_t *hs_sizes_find(const hs_sizes_t *sizes, const hs_event_t *event);
/* Sites that have shown more than one size. */
size_t hs_sizes_varied(const hs_sizes_t *sizes);

#endif
