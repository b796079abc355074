/* The facts that a listener must know before all else, as metadata of the trace. */
#include "recorder.h"

/* In the order of their keys in `keys`. */
enum {
    FACT_EDITION,
    FACT_SOURCE,
    FACT_RECORDER,
    FACT_BLACK_BOX,
    FACT_SNAPSHOTS,
    FACT_WALKED_SIZES,
    FACT_CHIP,
    FACT_SDK,
    FACT_PROGRAM,
    FACT_RESET,
    FACT_BOOT,
    FACT_CLOCK_HZ,
    FACT_WORD_SIZE,
    FACT_CORES,
    FACTS
};

static const char keys[FACTS][HS_FACT_KEY_BYTES] = {
    "edition", "source",  "recorder", "black_box", "snapshots", "walked_sizes", "chip",
    "sdk",     "program", "reset",    "boot",      "clock_hz",  "word_size",    "cores"};

static const char *digits(hs_fact_text_t *out, uint32_t number)
{
    char *at = out->digits + sizeof out->digits;
    *--at = '\0';
    do { /* bound: ten digits */
        *--at = (char)('0' + number % 10u);
        number /= 10u;
    } while (number != 0);
    return at;
}

static const char *text_of(const hs_recorder_t *recorder, unsigned number, hs_fact_text_t *out)
{
    const hs_recorder_config_t *config = recorder->config;
    const bool old = hs_recorder_is_old(recorder);
    switch (number) {
    case FACT_SOURCE:
        return "device";
    case FACT_RECORDER:
        return "heapscope";
    case FACT_CHIP:
        return config->chip;
    case FACT_SDK:
        return config->sdk;
    case FACT_PROGRAM:
        return config->program;
    case FACT_RESET:
        return old ? NULL : config->reset;
    case FACT_BLACK_BOX:
        return old ? "1" : NULL;
    case FACT_SNAPSHOTS:
        return old                                             ? NULL
               : HS_RECORDER_SNAPSHOTS && config->walk != NULL ? "1"
               : config->late                                  ? "0"
                                                               : NULL;
    case FACT_WALKED_SIZES:
        return config->walked_sizes ? "1" : NULL;
    case FACT_BOOT:
        return digits(out, recorder->boot);
    case FACT_CLOCK_HZ:
        return digits(out, config->clock_hz);
    case FACT_WORD_SIZE:
        return digits(out, sizeof(uintptr_t));
    case FACT_CORES:
        return digits(out, HS_RECORDER_CORES);
    default: /* FACT_EDITION */
        return "1";
    }
}

bool hs_recorder_fact(const hs_recorder_t *recorder, unsigned number, hs_fact_text_t *out)
{
    if (number >= FACTS) {
        return false;
    }
    out->key = keys[number];
    out->text = text_of(recorder, number, out);
    return true;
}
