/* Our own heap, the code of device/src/heap, as allocators of the lab. */
#ifndef HEAPSCOPE_NATIVE_ALLOCATORS_HEAPSCOPE_H
#define HEAPSCOPE_NATIVE_ALLOCATORS_HEAPSCOPE_H

#include "model.h"

/* GUARDED(name, object) has "+light", "+track" for owners, and "+guard1" to "+guard3". Poisoning
 * moves a block by 8 bytes, so it does not go with an alignment of 16. */
#define HS_OWN_LIST(PLAIN, POISONABLE, GUARDED)                                                    \
    GUARDED("heapscope", hs_model_heapscope)                                                       \
    PLAIN("heapscope-16", hs_model_heapscope_16)                                                   \
    POISONABLE("heapscope-wide", hs_model_heapscope_wide)

#define HS_OWN_DECLARE(name, object) extern const hs_model_t object;
HS_OWN_LIST(HS_OWN_DECLARE, HS_OWN_DECLARE, HS_OWN_DECLARE)
#undef HS_OWN_DECLARE

#endif
