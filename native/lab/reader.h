/* A decoder feeding a replay: the state behind hs_lab_reader_t. */
#ifndef HEAPSCOPE_NATIVE_READER_H
#define HEAPSCOPE_NATIVE_READER_H

#include "fit/fit.h"
#include "lab/export.h"
#include "lab/lab.h"
#include "replay/replay.h"
#include "trace/decoder.h"

struct hs_lab_reader {
    hs_decoder_t *decoder;
    hs_replay_t replay;
    hs_fit_t *fit;       /* NULL, or where the events go as well */
    hs_export_t *export; /* NULL, or what an export keeps of them */
    bool keep;           /* events are kept for hs_lab_reader_take */
    hs_lab_event_t *kept;
    size_t kept_count, kept_taken, kept_capacity;
};

#endif
