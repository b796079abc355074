/* The behaviour of a holder that does not leak: it returns to a level, it grew and stopped, or it stops. */
#ifndef HEAPSCOPE_LEAKS_LEVEL_H
#define HEAPSCOPE_LEAKS_LEVEL_H

#include "leaks/evidence.h"

/* Blocks are freed, and in the last third their number and bytes fall to where they were before. */
bool hs_leak_returns(const hs_leak_holder_t *holder);
/* The lows of what is live rose first and not in the last part. */
bool hs_leak_stopped(const hs_leak_holder_t *holder);
/* They rise to the end, but less and less. `bound`: the blocks that they go up to. */
bool hs_leak_fills(const hs_leak_holder_t *holder, double *bound);
/* Its blocks become no more, and their bytes rise so far that the last third is above all before. From then on the
 * holder has their growth as blocks, so many that its tables can be taken no other way. */
bool hs_leak_take_larger(hs_leak_holder_t *holder);
/* The part of the axis, from 0 to 1, after which nothing was born that stayed. */
double hs_leak_reached(const hs_leak_holder_t *holder);

#endif
