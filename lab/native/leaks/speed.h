/* How fast a leak takes memory, with its band. */
#ifndef HEAPSCOPE_LEAKS_SPEED_H
#define HEAPSCOPE_LEAKS_SPEED_H

#include "leaks/evidence.h"

/* The blocks and bytes of an interval of this length, from those that grew old and stayed. */
void hs_leak_speed(const hs_leak_holder_t *holder, const hs_leak_evidence_t *match,
                   hs_lab_leak_row_t *row);

#endif
