/* The facts that a listener must know before all else, as metadata of the trace. */
#include "recorder.h"

#define NUMBER NULL /* the text is a number, made below */

static void digits_put(hs_fact_text_t *out, uint32_t number)
{
    char *at = out->digits + sizeof out->digits;
    *--at = '\0';
    do { /* bound: ten digits */
        *--at = (char)('0' + number % 10u);
        number /= 10u;
    } while (number != 0);
    out->text = at;
}

bool hs_recorder_fact(const hs_recorder_t *recorder, unsigned number, hs_fact_text_t *out)
{
    const hs_recorder_config_t *config = recorder->config;
    const bool old = recorder->old != 0;
    const hs_fact_text_t facts[] = {
        {"edition", "2", ""},
        {"source", "device", ""},
        {"recorder", "heapscope", ""},
        {"black_box", old ? "1" : "", ""},
        {"snapshots", config->walk != NULL && !old ? "1" : "", ""},
        {"walked_sizes", config->walked_sizes ? "1" : "", ""},
        {"chip", config->chip, ""},
        {"sdk", config->sdk, ""},
        {"program", config->program, ""},
        {"reset", old ? "" : config->reset, ""},
        {"boot", NUMBER, ""},
        {"clock_hz", NUMBER, ""},
        {"word_size", NUMBER, ""},
        {"cores", NUMBER, ""},
    };
    const uint32_t numbers[] = {recorder->boot, config->clock_hz, sizeof(uintptr_t),
                                HS_RECORDER_CORES};
    const unsigned count = (unsigned)(sizeof facts / sizeof *facts);
    const unsigned texts = count - (unsigned)(sizeof numbers / sizeof *numbers);
    if (number >= count) {
        return false;
    }
    *out = facts[number];
    if (number >= texts) {
        digits_put(out, numbers[number - texts]);
    }
    return true;
}
