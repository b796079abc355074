/*
 * The trace decoder: bytes in any pieces, events out in batches. Never reads a file itself, so a
 * file, a pipe, a serial line and a decompressor are all the same to it. Memory: one chunk (64 KB),
 * one batch and the names; no input makes it crash, hang or take more.
 */
#ifndef HEAPSCOPE_NATIVE_DECODER_H
#define HEAPSCOPE_NATIVE_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"
#include "heapscope/trace.h"

#define HS_BATCH_EVENTS 1024u

/* Whether a LEVEL event says that not every event is written from here on. */
static inline bool hs_level_leaves_out(const hs_event_t *event)
{
    return event->key >= 2 || event->size != 0 || event->new_key != 0 || event->site != 0 ||
           event->caps != 0;
}

typedef struct hs_decoder hs_decoder_t;

/* Receives decoded events in order, at most HS_BATCH_EVENTS at once; they are valid during the call.
 * Anything but HS_OK stops the decoder: this push and all later ones return it. `first` is the event number of the first heap event in the batch
 * (events lost to damage are counted in, so that numbers stay those of the recorder). A gap within
 * the input always begins a new batch. */
typedef hs_status_t (*hs_event_sink_t)(void *context, uint64_t first, const hs_event_t *events,
                                       size_t count);

/* The account of what was read and what was lost. */
typedef struct hs_trace_health {
    uint64_t bytes;       /* fed so far */
    uint64_t events;      /* heap events decoded */
    uint64_t chunks;      /* whole chunks read, of every kind */
    uint64_t lost_chunks; /* missing from the sequence, or damaged */
    uint64_t
        lost_events; /* heap events in them, where the sequence tells; LOST(n), PAIRS in them */
    uint64_t skipped_bytes;    /* not part of any whole chunk */
    uint64_t malformed_chunks; /* CRC right, content not: read up to the fault */
    uint64_t newer_chunks;     /* of a newer version, or with an unknown required feature */
    uint64_t repeated_chunks;  /* whole, but their place in the sequence was past: dropped */
    uint64_t first_damage;     /* byte offset where the first loss shows; UINT64_MAX: none */
    uint64_t lost_at;          /* heap events before the first loss of events: those alone are known
                                  whole and in order; UINT64_MAX: nothing is lost. Set before an
                                  event after the loss is handed out, but for a LOST record: that
                                  is in the batch itself */
    uint64_t gaps;       /* how often events were lost, or may have been: a batch after a change
                                  does not go on where the one before ended. LOST records are in the
                                  batches, and not in this number */
    uint64_t next_trace; /* byte offset where another recording begins, from which on nothing
                                  is read (a device was reset, or files were joined);
                                  UINT64_MAX: none */
    uint32_t version;    /* highest format version seen */
    uint32_t features;   /* union over all chunks */
    uint32_t ended;      /* 1: the end chunk was read */
    uint32_t truncated;  /* 1: the input ends inside a chunk */
    uint32_t stopped;    /* 1: a chip's recording without an end that breaks off between two chunks:
                                  nobody knows of an event that is missing there */
    uint32_t untold;     /* 1: lost chunks may have told of events that are missing, which no later
                                  one has repeated */
    uint32_t facts_lost; /* 1: metadata is lost, or may be, and no later chunk has repeated it: of a
                                  key that was not read nothing is known */
} hs_trace_health_t;

hs_decoder_t *hs_decoder_new(void); /* NULL: no host memory */
void hs_decoder_delete(hs_decoder_t *decoder);

/* Takes the next bytes of the input. HS_OK whatever they are: damage is only counted. O(count), also
 * for hostile input (format/SPEC.md, "Damage"). */
hs_status_t hs_decoder_push(hs_decoder_t *decoder, const uint8_t *bytes, size_t count,
                            hs_event_sink_t sink, void *context);
/* The input is over: reads whole chunks still hidden behind damage. Returns HS_ERR_FORMAT when not
 * one chunk was read, HS_ERR_VERSION when all there were are newer. */
hs_status_t hs_decoder_finish(hs_decoder_t *decoder, hs_event_sink_t sink, void *context);

/* The address shift of the chunk whose events are handed out; 0 without addresses. */
unsigned hs_decoder_shift(const hs_decoder_t *decoder);
/* The number of the next heap event; of a whole trace all it has. */
uint64_t hs_decoder_next_event(const hs_decoder_t *decoder);
void hs_decoder_health(const hs_decoder_t *decoder, hs_trace_health_t *out);
/* While a batch is handed out: how many of it are no heap events. */
size_t hs_decoder_others(const hs_decoder_t *decoder);

/* Number of metadata pairs, and the index-th (NUL-terminated key; value may hold any bytes). Valid
 * until the next push. HS_ERR_ARGUMENT: there is no such index. */
size_t hs_decoder_metadata_count(const hs_decoder_t *decoder);
hs_status_t hs_decoder_metadata(const hs_decoder_t *decoder, size_t index, const char **key,
                                const uint8_t **value, size_t *length);
/* One past the highest index used or named in a table. */
uint32_t hs_decoder_name_count(const hs_decoder_t *decoder, hs_name_table_t table);
/* The lowest index from `index` on that has a name, or of a heap that was used; UINT32_MAX: none. Bound: pages of a table of names. */
uint32_t hs_decoder_name_next(const hs_decoder_t *decoder, hs_name_table_t table, uint32_t index);
/* The bytes of a name, untrusted as they came; NULL when it was never given. Valid until the next
 * push. */
const uint8_t *hs_decoder_name(const hs_decoder_t *decoder, hs_name_table_t table, uint32_t index,
                               size_t *length);

#endif
