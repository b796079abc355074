/* Where a heap that was brought to a state begins anew. */
#ifndef HEAPSCOPE_MODELS_LOAD_H
#define HEAPSCOPE_MODELS_LOAD_H

#include "model.h"

/* The largest free block, all of it, as a used one of the allocator itself; HS_NONE: it does not give it. */
uint32_t hs_sim_take_all(hs_sim_t *heap);
/* The low-water mark in a heap of ESP-IDF begins now. */
void hs_idf_forget_low(hs_sim_t *heap);
/* All low-water marks and steps begin now. The model has forget_low(). */
void hs_sim_forget_low(hs_sim_t *heap);

#endif
