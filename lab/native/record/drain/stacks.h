/* The stacks of a recorded program, as sites: each once, however often its files are loaded anew. */
#ifndef HEAPSCOPE_RECORD_STACKS_H
#define HEAPSCOPE_RECORD_STACKS_H

#include "image.h"

/* The stack whose frames are the thread's text; and the file whose path it is. O(files) */
void hs_rec_stacks_take(hs_rec_image_t *image, const hs_rec_worker_t *worker,
                        const hs_rec_event_t *record);
void hs_rec_modules_take(hs_rec_image_t *image, const hs_rec_worker_t *worker,
                         const hs_rec_event_t *record);

#endif
