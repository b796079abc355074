/* The recording of the heap, sent as the firmware runs through the second serial port. */
#ifndef FIRMWARE_RECORDING_H
#define FIRMWARE_RECORDING_H

#include "heapscope/recorder.h"
#include "heapscope/regions.h"

/* Before the first block of `regions` is asked for. False: not enough memory. */
bool recording_open(hs_regions_t *regions);
/* From here on a task sends; it begins with a snapshot, before any other task runs. */
bool recording_start(void);
/* The recorder, for one record. It is sent within a tick, or earlier where the ring gets full; a tick may be
 * late in emulation. Within the heap's lock. */
hs_recorder_t *recording_record(void);
/* Prints which blocks are used, as the heap's own walk finds them. Within the heap's lock. */
void recording_print_walk(const char *mark);
/* Sends all that is left. */
void recording_close(void);

#endif
