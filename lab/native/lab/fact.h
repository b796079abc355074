/* Single facts of a trace's metadata, and what they say of its beginning. */
#ifndef HEAPSCOPE_NATIVE_FACT_H
#define HEAPSCOPE_NATIVE_FACT_H

#include "trace/decoder.h"

/* The first byte of a fact's value; 0: none. */
uint8_t hs_fact_begin(const hs_decoder_t *decoder, const char *key);

/* The last value of a fact, and its bytes; NULL and 0: none. */
const uint8_t *hs_fact(const hs_decoder_t *decoder, const char *key, size_t *length);

/* The decimal number, of at most 15 digits, that the fact is; 0: it is something else. */
uint64_t hs_fact_number(const hs_decoder_t *decoder, const char *key);

/* Whether a recorder on a chip has written the trace, which may take snapshots. */
bool hs_fact_is_of_chip(const hs_decoder_t *decoder);

/* Asked as the first batch is handed out: blocks were live before it that its events do not tell. Without
 * addresses no snapshot has blocks, and waiting for one would be in vain. */
bool hs_fact_begins_unknown(const hs_decoder_t *decoder);

#endif
