/* Threads of a recorded program: their names and tasks, their text, their stacks. */
#ifndef HEAPSCOPE_RECORD_WORKERS_H
#define HEAPSCOPE_RECORD_WORKERS_H

#include "image.h"

/* The thread of a number; NULL: no host memory. */
hs_rec_worker_t *hs_rec_worker_get(hs_rec_image_t *image, uint32_t number);

/* The index of a name in a table, given to the trace when it is new; 0 beyond the format's limit. */
uint32_t hs_rec_name_index(hs_rec_image_t *image, hs_name_index_t *index, hs_name_table_t table,
                           const char *name, size_t length);
uint32_t hs_rec_task_of(hs_rec_image_t *image, const char *name, size_t length);

/* The site of a stack's number: they are counted as they come. 0: none, or no host memory. */
uint32_t hs_rec_site_of(hs_rec_image_t *image, uint64_t number);

/* Bytes of the name that is the thread's text. */
size_t hs_rec_name_length(const hs_rec_worker_t *worker);

/* Records of threads, text, tasks, stacks and modules. */
void hs_rec_worker_take(hs_rec_image_t *image, hs_rec_worker_t *worker, unsigned kind,
                        unsigned flag, const hs_rec_event_t *record);

#endif
