#include "metadata.h"

#include <stdlib.h>

#define KEY_MAX 255u

typedef struct hs_span {
    const uint8_t *bytes;
    size_t count;
} hs_span_t;

static bool span_read(hs_cursor_t *cursor, hs_span_t *span)
{
    uint64_t count;
    if (!hs_cursor_varint(cursor, &count) || count > hs_cursor_left(cursor)) {
        return false;
    }
    *span = (hs_span_t){cursor->at, (size_t)count};
    cursor->at += count;
    return true;
}

/* Keys are handed out as C strings. */
static bool key_valid(hs_span_t key)
{
    return key.count > 0 && key.count <= KEY_MAX && memchr(key.bytes, 0, key.count) == NULL;
}

/* The fact of that key, or the place of a new one. Bound: HS_METADATA_PAIRS_MAX. */
static size_t fact_find(const hs_metadata_t *metadata, hs_span_t key)
{
    size_t at = 0;
    while (at < metadata->count && (strlen(metadata->facts[at].key) != key.count ||
                                    memcmp(metadata->facts[at].key, key.bytes, key.count) != 0)) {
        at++;
    }
    return at;
}

static hs_status_t fact_set(hs_metadata_t *metadata, hs_span_t key, hs_span_t value)
{
    if (metadata->facts == NULL) {
        metadata->facts = calloc(HS_METADATA_PAIRS_MAX, sizeof *metadata->facts);
        if (metadata->facts == NULL) {
            return HS_ERR_MEMORY;
        }
    }
    const size_t at = fact_find(metadata, key);
    const size_t size = key.count + 1 + value.count;
    if (at == HS_METADATA_PAIRS_MAX || metadata->held + size > HS_METADATA_BYTES_MAX) {
        return HS_ERR_MEMORY;
    }
    char *copy = malloc(size);
    if (copy == NULL) {
        return HS_ERR_MEMORY;
    }
    memcpy(copy, key.bytes, key.count);
    copy[key.count] = '\0';
    memcpy(copy + key.count + 1, value.bytes, value.count);
    hs_fact_t *fact = &metadata->facts[at];
    if (at == metadata->count) {
        metadata->count++;
    } else {
        metadata->held -= key.count + 1 + fact->length;
        free(fact->key);
    }
    metadata->held += size;
    *fact = (hs_fact_t){copy, (const uint8_t *)copy + key.count + 1, value.count};
    return HS_OK;
}

void hs_metadata_clear(hs_metadata_t *metadata)
{
    for (size_t i = 0; i < metadata->count; i++) {
        free(metadata->facts[i].key);
    }
    free(metadata->facts);
    *metadata = (hs_metadata_t){0};
}

bool hs_metadata_agrees(const hs_metadata_t *metadata, const char *key, const uint8_t *payload,
                        size_t count)
{
    const hs_span_t wanted = {(const uint8_t *)key, strlen(key)};
    const size_t at = metadata->count == 0 ? 0 : fact_find(metadata, wanted);
    hs_cursor_t cursor = {payload, payload + count};
    uint64_t pairs;
    if (at == metadata->count || !hs_cursor_varint(&cursor, &pairs)) {
        return true;
    }
    const hs_fact_t *known = &metadata->facts[at];
    for (; pairs > 0; pairs--) { /* bound: each pair takes bytes of the payload */
        hs_span_t match;
        hs_span_t value;
        if (!span_read(&cursor, &match) || !span_read(&cursor, &value)) {
            return true;
        }
        if (match.count == wanted.count && memcmp(match.bytes, key, match.count) == 0 &&
            (value.count != known->length || memcmp(value.bytes, known->value, value.count) != 0)) {
            return false;
        }
    }
    return true;
}

bool hs_metadata_begins(const uint8_t *payload, size_t count, const char *key)
{
    hs_cursor_t cursor = {payload, payload + count};
    uint64_t pairs;
    hs_span_t match;
    return hs_cursor_varint(&cursor, &pairs) && pairs > 0 && span_read(&cursor, &match) &&
           match.count == strlen(key) && memcmp(match.bytes, key, match.count) == 0;
}

hs_status_t hs_metadata_read(hs_metadata_t *metadata, const uint8_t *payload, size_t count)
{
    hs_cursor_t cursor = {payload, payload + count};
    uint64_t pairs;
    if (!hs_cursor_varint(&cursor, &pairs)) {
        return HS_ERR_FORMAT;
    }
    for (; pairs > 0; pairs--) { /* bound: each pair takes bytes of the payload */
        hs_span_t key;
        hs_span_t value;
        if (!span_read(&cursor, &key) || !key_valid(key) || !span_read(&cursor, &value)) {
            return HS_ERR_FORMAT;
        }
        const hs_status_t status = fact_set(metadata, key, value);
        if (status != HS_OK) {
            return status;
        }
    }
    return HS_OK;
}
