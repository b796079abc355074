/* The ways into a recorder: each is told which recorder it fills; NULL: none. */
#ifndef HEAPSCOPE_RECORDER_GLUE_H
#define HEAPSCOPE_RECORDER_GLUE_H

#include "heapscope/recorder.h"
#include "heapscope/recorder_port.h"

void hs_recorder_libc(hs_recorder_t *recorder);
void hs_recorder_esp_idf(hs_recorder_t *recorder);

#endif
