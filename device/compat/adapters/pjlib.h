/*
 * PJLIB's pools on a source: a pj_caching_pool whose blocks come from a private heap, a heap, or
 * what else is behind an hs_source_t. Compiled with PJLIB's headers (2.x).
 *
 *     hs_pjlib_t factory;
 *     hs_pjlib_init(&factory, hs_private_source(ice_heap), 0);
 *     pj_ice_strans_cfg_default(&config);
 *     config.stun_cfg.pf = hs_pjlib_factory(&factory);
 */
#ifndef HEAPSCOPE_ADAPTERS_PJLIB_H
#define HEAPSCOPE_ADAPTERS_PJLIB_H

#include <pj/pool.h>

#include "heapscope/source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The factory is its first member's first member: the block hooks find the source by it. */
typedef struct hs_pjlib {
    pj_caching_pool caching;
    hs_source_t source;
} hs_pjlib_t;

/* After pj_init(). `kept`: bytes of released pools that the factory holds back for new ones, as in
 * pj_caching_pool_init(); 0 gives all of it back at once, so that others can have it. A source that
 * has no block makes PJLIB throw PJ_NO_MEMORY_EXCEPTION, as its own policy does. */
void hs_pjlib_init(hs_pjlib_t *pjlib, hs_source_t source, pj_size_t kept);
pj_pool_factory *hs_pjlib_factory(hs_pjlib_t *pjlib);
/* Every pool of the factory, and what was kept, goes back to the source. */
void hs_pjlib_destroy(hs_pjlib_t *pjlib);

#ifdef __cplusplus
}
#endif

#endif
