/* The behaviour of a holder that does not leak: it returns to a level, or it grew and stopped. */
#ifndef HEAPSCOPE_LEAKS_LEVEL_H
#define HEAPSCOPE_LEAKS_LEVEL_H

#include "leaks/evidence.h"

/* Blocks are freed, and in the last third the level falls to where it was before. */
bool hs_leak_returns(const hs_leak_holder_t *holder);
/* The lows of what is live rose first and not in the last part. */
bool hs_leak_stopped(const hs_leak_holder_t *holder);

#endif
