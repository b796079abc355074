/*
 * Bytes of a trace, as a recorder writes them: the records of format/SPEC.md in the words of the chip. The
 * encoder of heapscope/trace.h writes every trace, with 64 bits for each number; this one has the
 * recorder's features and kinds alone, in a third of the code and of the instructions. Private.
 */
#ifndef HEAPSCOPE_RECORDER_EMIT_H
#define HEAPSCOPE_RECORDER_EMIT_H

#include "../trace/chunk.h"

typedef uintptr_t hs_number_t; /* as wide as an address */

/* The values to which the records of the open chunk are relative. */
typedef struct hs_emit {
    hs_chunk_t chunk;
    uint64_t time;       /* of the last stamped record */
    hs_number_t address; /* mentioned last, shifted */
    uint32_t caps;
    uint32_t heap_events;
    uint32_t clock; /* up to which `time` has come */
    uint32_t ticks; /* of `time`, not written yet */
    uint16_t task;
    uint8_t address_shift;
    uint8_t clock_shift;
} hs_emit_t;

#define HS_NUMBER_MAX (sizeof(hs_number_t) == 4 ? 5u : 10u) /* bytes of one */

/* Where size is asked for, there is one copy of what is small and used often. */
#if defined(__GNUC__) && defined(__OPTIMIZE_SIZE__)
#define HS_ONE_COPY __attribute__((noinline))
#else
#define HS_ONE_COPY
#endif

/* Bytes at most: of a heap event with what changes in front of it, and of an extension with that many
 * numbers. */
#define HS_EMIT_EVENT_MAX (3u * 5u + 5u * HS_NUMBER_MAX)
#define HS_EMIT_EXTENSION_MAX(numbers) (3u + ((numbers) + 1u) * HS_NUMBER_MAX)

/* Opens an encoder whose chunks lie in `bytes`. */
void hs_emit_open(hs_emit_t *emit, uint8_t *bytes, size_t size, uint16_t features);

/* Room in the open chunk of a kind; 0: none is open. */
static inline size_t hs_emit_room(const hs_emit_t *emit, unsigned kind)
{
    return emit->chunk.kind == kind ? hs_chunk_room(&emit->chunk) : 0;
}

/* Ends the open chunk and gives it to the sink. */
void hs_emit_seal(hs_emit_t *emit);

/* A fact of the metadata. The caller has seen that it fits, or that no chunk is open. */
void hs_emit_fact(hs_emit_t *emit, const char *key, const char *value);

/* The clock as an event saw it; one that goes back a little stands still. */
void hs_emit_clock(hs_emit_t *emit, uint32_t clock);

/* The task, and the capabilities, of what follows. */
void hs_emit_context(hs_emit_t *emit, uint32_t task, const uint32_t *caps);

/* A heap event from its raw words. `other`: as in the ring. */
void hs_emit_event(hs_emit_t *emit, unsigned kind, const hs_number_t *record, uint32_t task,
                   uint32_t site);

/* An extension whose body is these numbers and, when it is stamped, the time. */
void hs_emit_extension(hs_emit_t *emit, unsigned sub_kind, bool stamped, const hs_number_t *numbers,
                       unsigned count);

/* The zigzag of an address's difference to the one before, which it then is. */
hs_number_t hs_emit_address(hs_emit_t *emit, hs_number_t address);

void hs_emit_name(hs_emit_t *emit, unsigned table, uint32_t index, const char *name, size_t length);

/* Writes the end chunk. Nothing may be open. */
void hs_emit_end(hs_emit_t *emit);

#endif
