#include "lab/fact.h"

#include <string.h>

uint8_t hs_fact_begin(const hs_decoder_t *decoder, const char *key)
{
    for (size_t i = 0; i < hs_decoder_metadata_count(decoder); i++) {
        const char *match;
        const uint8_t *value;
        size_t length;
        if (hs_decoder_metadata(decoder, i, &match, &value, &length) == HS_OK &&
            strcmp(match, key) == 0) {
            return length == 0 ? 0 : value[0];
        }
    }
    return 0;
}

static uint64_t number_of(const uint8_t *digits, size_t length)
{
    uint64_t number = 0;
    for (size_t i = 0; i < length; i++) {
        if (digits[i] < '0' || digits[i] > '9') {
            return 0;
        }
        number = number * 10 + (digits[i] - '0');
    }
    return number;
}

const uint8_t *hs_fact(const hs_decoder_t *decoder, const char *key, size_t *length)
{
    const uint8_t *last = NULL;
    *length = 0;
    for (size_t i = 0; i < hs_decoder_metadata_count(decoder); i++) {
        const char *match;
        const uint8_t *value;
        size_t bytes;
        if (hs_decoder_metadata(decoder, i, &match, &value, &bytes) == HS_OK &&
            strcmp(match, key) == 0) {
            last = value;
            *length = bytes;
        }
    }
    return last;
}

uint64_t hs_fact_number(const hs_decoder_t *decoder, const char *key)
{
    size_t length;
    const uint8_t *digits = hs_fact(decoder, key, &length);
    return length > 15 ? 0 : number_of(digits, length);
}

bool hs_fact_is_of_chip(const hs_decoder_t *decoder)
{
    hs_trace_health_t health;
    hs_decoder_health(decoder, &health);
    return (health.features & HS_TRACE_BOOT(0xFFu)) != 0 || hs_fact_begin(decoder, "edition") != 0;
}

bool hs_fact_begins_unknown(const hs_decoder_t *decoder)
{
    hs_trace_health_t health;
    hs_decoder_health(decoder, &health);
    const bool of_chip = (health.features & HS_TRACE_BOOT(0xFFu)) != 0;
    return (health.features & HS_TRACE_ADDRESSES) != 0 &&
           (hs_fact_begin(decoder, "snapshots") == '1' ||
            hs_fact_begin(decoder, "black_box") == '1' ||
            (of_chip && (health.lost_chunks != 0 || health.gaps != 0)));
}
