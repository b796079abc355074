/*
 * A listener to a device: log text and chunks in, recordings and a state out. A C header and declarations
 * for the Python binding, as lab.h is, with the same rules.
 */
#ifndef HEAPSCOPE_NATIVE_HEARD_H
#define HEAPSCOPE_NATIVE_HEARD_H

#include <stddef.h>
#include <stdint.h>

#include "lab/lab.h"
#include "rows/listen.h"

/* cffi: begin */
typedef struct hs_lab_listener hs_lab_listener_t;

hs_lab_listener_t *hs_lab_listener_new(void);
void hs_lab_listener_delete(hs_lab_listener_t *listener);
/* Takes bytes until all are taken or another recording begins (`over` of the figures): then call
 * hs_lab_listener_next before the rest. Take text, chunks and notices after each of these three calls. */
int hs_lab_listener_push(hs_lab_listener_t *listener, const uint8_t *bytes, size_t count,
                         size_t *taken);
/* Nothing follows: no chunk begins in the bytes that are held. */
int hs_lab_listener_flush(hs_lab_listener_t *listener);
/* Begins the next recording. */
int hs_lab_listener_next(hs_lab_listener_t *listener);
/* Copies up to `capacity` bytes out, returns how many: the device's log, untrusted. */
size_t hs_lab_listener_text(hs_lab_listener_t *listener, uint8_t *out, size_t capacity);
/* Text that was taken out, to be shown; no bytes: it was quiet, so that a line without an end is over. */
int hs_lab_listener_log(hs_lab_listener_t *listener, const uint8_t *text, size_t count);
/* Whole lines of it without the colours of a terminal, each ended by a newline; as above. */
size_t hs_lab_listener_lines(hs_lab_listener_t *listener, uint8_t *out, size_t capacity);
/* The oldest whole chunk, of 65,555 bytes at most; 0: none waits, or there is no room for it. */
size_t hs_lab_listener_chunk(hs_lab_listener_t *listener, uint8_t *out, size_t capacity);
/* Copies out the chunk that would end the recording here, when there is room; its bytes. */
size_t hs_lab_listener_end(const hs_lab_listener_t *listener, uint8_t *out, size_t capacity);
/* The oldest notices; returns how many. They are gone then. */
size_t hs_lab_listener_notices(hs_lab_listener_t *listener, hs_lab_notice_t *rows, size_t capacity);
/* Until the next push: the sentence of a notice, ended by NUL, cut to `capacity`; its bytes. Behind it
 * belongs the owner where it is `owned`, and the name of a mark; in front of it the request that stopped
 * fitting. The facts in it are untrusted. */
size_t hs_lab_listener_sentence(const hs_lab_listener_t *listener, const hs_lab_notice_t *notice,
                                char *out, size_t capacity);
const char *hs_lab_notice_name(uint32_t kind); /* HS_LAB_NOTICE_*: "lost" */
const char *hs_lab_lost_name(uint32_t kind);   /* of `lost`: "malloc" */
const char *hs_lab_late_start_text(void); /* the limit of a recorder whose fact `snapshots` is 0 */
/* The name of the recording's file without its prefix, as above: "boot-7". */
size_t hs_lab_listener_label(const hs_lab_listener_t *listener, char *out, size_t capacity);
void hs_lab_listener_figures(const hs_lab_listener_t *listener, hs_lab_listened_t *out);
void hs_lab_listener_health(const hs_lab_listener_t *listener, hs_lab_health_t *out);
/* Before the first push: at most HS_LAB_NEEDS_MAX requests to ask about after each piece of the stream. */
int hs_lab_listener_watch(hs_lab_listener_t *listener, const hs_lab_need_t *needs, uint32_t count);
/* Replays on `config` from now on, which stays, with the watched requests; NULL: no more. *where: as above. */
int hs_lab_listener_replay(hs_lab_listener_t *listener, const hs_lab_config_t *config,
                           uint32_t *where);
/* Whole chunks that were heard before the replay began. */
int hs_lab_listener_replay_chunks(hs_lab_listener_t *listener, const uint8_t *bytes, size_t count);
size_t hs_lab_listener_watched(const hs_lab_listener_t *listener, hs_lab_watched_t *rows,
                               size_t most);
/* Who holds the cheapest stretch for a watched request that does not fit, most bytes first. O(n log n). */
size_t hs_lab_listener_in_the_way(hs_lab_listener_t *listener, size_t watched, hs_lab_owner_t *rows,
                                  size_t capacity);
size_t hs_lab_listener_memories(hs_lab_listener_t *listener, hs_lab_memory_t *rows, size_t most);
/* Growth and rates, and owners as of then. `silent`: `seconds` of the caller's clock without a chunk. */
int hs_lab_listener_lately(hs_lab_listener_t *listener, double seconds, double silent,
                           hs_lab_lately_t *out);
size_t hs_lab_listener_owners(const hs_lab_listener_t *listener, hs_lab_owner_t *rows, size_t most);
const char *hs_lab_source_name(uint32_t by); /* HS_LAB_BY_*: "replay"; "": nobody tells it */
const char *hs_lab_source_text(uint32_t by); /* the words before the bytes that do not suffice */
/* The same as those of a reader. */
size_t hs_lab_listener_metadata_count(const hs_lab_listener_t *listener);
size_t hs_lab_listener_metadata(const hs_lab_listener_t *listener, size_t index, const char **key,
                                const uint8_t **value);
size_t hs_lab_listener_name(const hs_lab_listener_t *listener, uint32_t table, uint32_t index,
                            const uint8_t **bytes);
/* cffi: end */

#endif
