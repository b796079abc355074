/* The parts of a run that a recorded program wants to have in its trace (heapscope_start,
 * heapscope_stop). In between no event is written, but blocks are followed: a part begins with the
 * blocks that are live then. */
#ifndef HEAPSCOPE_RECORD_PAUSE_H
#define HEAPSCOPE_RECORD_PAUSE_H

#include "image.h"

/* Ids of blocks that the trace does not have. */
#define HS_REC_HIDDEN_ID (UINT64_C(1) << 39)

/* Nothing where the image's events are in the trace, or are not, already. */
void hs_rec_image_start(hs_rec_image_t *image);
void hs_rec_image_stop(hs_rec_image_t *image);

/* The first words about the parts that are missing; before the end. */
void hs_rec_image_tell_parts(hs_rec_image_t *image);

#endif
