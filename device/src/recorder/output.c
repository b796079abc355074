/* Chunks to a sink that may be slow, take them in parts, or be cut off and come back. */
#include "recorder.h"

hs_status_t hs_recorder_take_chunk(void *context, const uint8_t *bytes, size_t count)
{
    hs_recorder_t *recorder = context;
    hs_output_t *output = &recorder->output;
    HS_ASSERT(bytes == recorder->emit.chunk.bytes);
    (void)bytes;
    output->count = (uint16_t)count;
    output->sent = 0;
    (void)hs_recorder_sent(recorder);
    return HS_OK;
}

/* Bound: each round the sink takes bytes. */
bool hs_recorder_sent(hs_recorder_t *recorder)
{
    hs_output_t *output = &recorder->output;
    if (output->count == 0) {
        return true;
    }
    while (output->sent < output->count) {
        const size_t left = (size_t)output->count - output->sent;
        const size_t taken = recorder->config->write(
            recorder->config->context, recorder->emit.chunk.bytes + output->sent, left);
        if (taken == HS_SINK_BROKEN) {
            output->broken = 1;
            output->sent = 0; /* whoever listens then has not heard its beginning */
            return false;
        }
        if (taken == 0 || taken > left) {
            return false;
        }
        output->sent = (uint16_t)(output->sent + taken);
    }
    output->count = 0;
    recorder->counts.chunks++;
    if (output->broken != 0) {
        output->broken = 0;
        hs_recorder_joined(recorder);
    }
    return true;
}

bool hs_recorder_ready(hs_recorder_t *recorder, unsigned kind, size_t need)
{
    if (!hs_recorder_sent(recorder)) {
        return false;
    }
    if (hs_emit_room(&recorder->emit, kind) < need) {
        hs_emit_seal(&recorder->emit);
        return hs_recorder_sent(recorder);
    }
    return true;
}
