/* A decoder feeding a replay: the state behind hs_lab_reader_t. */
#ifndef HEAPSCOPE_NATIVE_READER_H
#define HEAPSCOPE_NATIVE_READER_H

#include "lab/lab.h"
#include "replay/replay.h"
#include "trace/decoder.h"

struct hs_lab_reader {
    hs_decoder_t *decoder;
    hs_replay_t replay;
    bool keep; /* events are kept for hs_lab_reader_take */
    hs_lab_event_t *kept;
    size_t kept_count, kept_taken, kept_capacity;
};

#endif
