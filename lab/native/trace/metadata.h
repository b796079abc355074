/* The facts about a trace's origin. Private to lab/native/trace. */
#ifndef HEAPSCOPE_NATIVE_METADATA_H
#define HEAPSCOPE_NATIVE_METADATA_H

#include "bytes.h"
#include "heapscope/status.h"

#define HS_METADATA_PAIRS_MAX 256u
#define HS_METADATA_BYTES_MAX ((size_t)1 << 20) /* of keys and values together */

typedef struct hs_fact {
    char *key; /* NUL-terminated; the value's bytes follow it */
    const uint8_t *value;
    size_t length;
} hs_fact_t;

typedef struct hs_metadata {
    hs_fact_t *facts; /* HS_METADATA_PAIRS_MAX of them, NULL until the first */
    size_t count;
    size_t held;
} hs_metadata_t;

void hs_metadata_clear(hs_metadata_t *metadata);
/* Takes the payload of a metadata chunk; a key seen before gets the new value. HS_ERR_FORMAT:
 * malformed, what came before the fault is kept. HS_ERR_MEMORY: the bounds above, or the host's. */
hs_status_t hs_metadata_read(hs_metadata_t *metadata, const uint8_t *payload, size_t count);
/* False: the payload has this key with another value than the known one. */
bool hs_metadata_agrees(const hs_metadata_t *metadata, const char *key, const uint8_t *payload,
                        size_t count);
/* Whether the payload's first key is this one. */
bool hs_metadata_begins(const uint8_t *payload, size_t count, const char *key);

#endif
