/*
 * The lab's native library as the lab sees it: coarse calls over the plain structs of lab/native/rows.
 * This file and those of rows are both C headers and, between the two marker lines, the declarations
 * that the Python binding parses. Keep them to what cffi's C parser takes (no function bodies, no #if).
 *
 * Bytes of a trace are pushed in pieces of any size; nothing here opens a file. Sizes in bytes,
 * event numbers from 0 over heap events, times in the trace's clock ticks. Every *_new returns NULL
 * without host memory. Row calls fill at most `capacity` rows and return how many there are.
 */
#ifndef HEAPSCOPE_NATIVE_LAB_H
#define HEAPSCOPE_NATIVE_LAB_H

#include <stddef.h>
#include <stdint.h>

#include "rows/export.h"
#include "rows/history.h"
#include "rows/leaks.h"
#include "rows/log.h"
#include "rows/picture.h"
#include "rows/replay.h"
#include "rows/request.h"
#include "rows/state.h"
#include "rows/trace.h"
#include "rows/trials.h"

/* cffi: begin */
#define HS_LAB_ABI 1

int hs_lab_abi(void);                                /* HS_LAB_ABI of the library */
size_t hs_lab_sizeof(const char *struct_name);       /* "hs_lab_task_row_t"; 0: no such struct */
const char *hs_lab_allocator_name(size_t index);     /* the valid ones in turn, then NULL */
const char *hs_lab_allocator_find(const char *name); /* the one meant by a spelling, or NULL */
/* The plain model that places blocks as the named one does without its flavours, or NULL. */
const char *hs_lab_allocator_places_as(const char *name);
/* Bytes that `count` blocks of a fixed pool take of a 32-bit chip's memory; 0: out of range. */
uint32_t hs_lab_fixed_memory(uint32_t count, uint32_t block, uint32_t alignment);

/* Names by number, for people and for tables; NULL: no such number. */
const char *hs_lab_call_name(uint32_t kind);            /* hs_event_kind_t, heap events alone */
const char *hs_lab_outcome_name(uint32_t outcome);      /* HS_LAB_OUTCOME_* */
const char *hs_lab_anomaly_name(uint32_t what);         /* HS_LAB_ANOMALY_* */
const char *hs_lab_import_reason_name(uint32_t reason); /* why a line is left out */

/* ---- import of other recorders' text ---- */
typedef struct hs_lab_import hs_lab_import_t;

/* `form`: hs_import_form_t; `features`: HS_TRACE_*, of the trace besides the form's own. NULL: no
 * memory, or no such form. */
hs_lab_import_t *hs_lab_import_new(int form, uint32_t features);
void hs_lab_import_delete(hs_lab_import_t *text);
int hs_lab_import_metadata(hs_lab_import_t *text, const char *key, const char *value);
/* HS_ERR_VERSION: a line needs the features that the stats tell as wanted; begin again with them. */
int hs_lab_import_push(hs_lab_import_t *text, const uint8_t *bytes, size_t count);
int hs_lab_import_finish(hs_lab_import_t *text);
/* Copies up to `capacity` finished .hst bytes out; returns how many; 0: none left for now. */
size_t hs_lab_import_take(hs_lab_import_t *text, uint8_t *out, size_t capacity);
void hs_lab_import_stats(const hs_lab_import_t *text, hs_lab_import_stats_t *out);
/* The first `most` lines left out are kept until they are taken; without this call the first 100. */
void hs_lab_import_keep(hs_lab_import_t *text, uint64_t most);
size_t hs_lab_import_left_out(hs_lab_import_t *text, hs_lab_left_out_t *rows, size_t capacity);
/* Lines left out for that reason. */
uint64_t hs_lab_import_reason_count(const hs_lab_import_t *text, uint32_t reason);

/* ---- a reader of logs: bytes in, facts out ---- */
typedef struct hs_lab_log hs_lab_log_t;

hs_lab_log_t *hs_lab_log_new(void);
void hs_lab_log_delete(hs_lab_log_t *log);
/* A user's, before the first byte: hs_pattern_status_t, hs_log_own_status_t. `at`: the fault's. */
int hs_lab_log_pattern(hs_lab_log_t *log, const char *text, size_t length, size_t *at);
int hs_lab_log_word(hs_lab_log_t *log, const char *word, const char *meaning, size_t *at);
/* Reads bytes until all are read or facts have to be taken first; returns how many were read. */
size_t hs_lab_log_push(hs_lab_log_t *log, const uint8_t *bytes, size_t count);
/* Takes a line without an end for whole: at the end of the input, or when it has long been quiet. */
void hs_lab_log_flush(hs_lab_log_t *log);
/* Copies the oldest facts out, at most `capacity` of them; returns how many. */
size_t hs_lab_log_take(hs_lab_log_t *log, hs_lab_log_fact_t *out, size_t capacity);
uint64_t hs_lab_log_lines(const hs_lab_log_t *log); /* begun so far */

/* The requests that failed, by the facts of a log in their order. NULL: no memory. */
typedef struct hs_lab_log_failures hs_lab_log_failures_t;
hs_lab_log_failures_t *hs_lab_log_failures_new(void);
void hs_lab_log_failures_delete(hs_lab_log_failures_t *failures);
/* 1: the fact is a failed request that no other one told before. */
int hs_lab_log_failures_take(hs_lab_log_failures_t *failures, const hs_lab_log_fact_t *fact);
/* The ways in which they failed, without those that another one explains. */
size_t hs_lab_log_failed(const hs_lab_log_failures_t *failures, hs_lab_log_failed_t *rows,
                         size_t capacity);

/* ---- a reader of a trace: a census (no heap) or a replay (with heaps) ---- */
typedef struct hs_lab_reader hs_lab_reader_t;

/* ---- events themselves, for tools that make or transform traces ---- */
/* From now on a census also keeps its events; take them after each push and after finish. */
int hs_lab_reader_keep(hs_lab_reader_t *reader);
/* Copies up to `capacity` kept events out; returns how many; 0: none left for now. */
size_t hs_lab_reader_take(hs_lab_reader_t *reader, hs_lab_event_t *out, size_t capacity);
/* For a census, before the first push: from the trace only the clock's ticks at these heap events
 * are taken (ascending, each once); no figure of the census is. */
int hs_lab_reader_times(hs_lab_reader_t *reader, const uint64_t *events, size_t count);
/* One value an event; HS_LAB_NEVER: it is not in the trace, or was lost. */
size_t hs_lab_times(const hs_lab_reader_t *reader, uint64_t *times, size_t capacity);

/* ---- the blocks of an interval: what stays, and whether it grows ---- */
/* For a census, before the first push: watches the heap events from `first` on, and takes none from `stop` on. It is
 * read twice: `before` is the finished reader of the first reading, and NULL there; only the second one knows lives. */
int hs_lab_reader_watch(hs_lab_reader_t *reader, uint64_t first, uint64_t stop,
                        const hs_lab_reader_t *before);
void hs_lab_reader_interval(const hs_lab_reader_t *reader, hs_lab_interval_t *out);
/* Who allocated in the interval, in any order. */
size_t hs_lab_holders(const hs_lab_reader_t *reader, hs_lab_holder_row_t *rows, size_t capacity);
/* The lives that ended, in any order. */
size_t hs_lab_lives(const hs_lab_reader_t *reader, hs_lab_life_row_t *rows, size_t capacity);
/* The blocks live as things stand, oldest first. */
size_t hs_lab_live(const hs_lab_reader_t *reader, hs_lab_live_row_t *rows, size_t capacity);

/* ---- leaks, and what only looks like one ---- */
/* A row for each holder that has a live block, by task and site, of which at most `capacity` are written; `count`:
 * all. `holders`, `lives` and `live` are those of a reading; `whole`: no event of the trace is missing. O(n log n)
 * time, O(n) memory. */
int hs_lab_leaks(const hs_lab_holder_row_t *holders, size_t holder_count,
                 const hs_lab_life_row_t *lives, size_t life_count, const hs_lab_live_row_t *live,
                 size_t live_count, int whole, hs_lab_leak_row_t *rows, size_t capacity,
                 size_t *count);
const char *hs_lab_leak_reason_text(uint32_t reason); /* hs_lab_leak_reason_t */

/* ---- a writer of traces ---- */
typedef struct hs_lab_writer hs_lab_writer_t;
/* features: HS_TRACE_* of trace.h; address_shift as there. NULL also for unknown features. */
hs_lab_writer_t *hs_lab_writer_new(uint32_t features, uint32_t address_shift);
void hs_lab_writer_delete(hs_lab_writer_t *writer);
int hs_lab_writer_metadata(hs_lab_writer_t *writer, const char *key, const char *value);
int hs_lab_writer_name(hs_lab_writer_t *writer, uint32_t table, uint32_t index, const char *name,
                       size_t length);
/* Appends events; *written tells how many before an error. Without addresses allocations must carry
 * ids in sequence from 0. */
int hs_lab_writer_events(hs_lab_writer_t *writer, const hs_lab_event_t *events, size_t count,
                         size_t *written);
int hs_lab_writer_finish(hs_lab_writer_t *writer);
/* Copies up to `capacity` finished .hst bytes out; returns how many; 0: none left for now. */
size_t hs_lab_writer_take(hs_lab_writer_t *writer, uint8_t *out, size_t capacity);

/* ---- replay ---- */
/* A census alone (config NULL), or a replay, which uses the config as long as it lives. NULL: *status is an hs_status_t; *where the index of
 * the offending region, or UINT32_MAX. */
hs_lab_reader_t *hs_lab_reader_new(const hs_lab_config_t *config, int *status, uint32_t *where);
void hs_lab_reader_delete(hs_lab_reader_t *reader);
int hs_lab_reader_push(hs_lab_reader_t *reader, const uint8_t *bytes, size_t count);
int hs_lab_reader_finish(hs_lab_reader_t *reader);
/* Before the first push: of a chip's recording uses this segment, from 1: the part from a whole snapshot, or from an
 * empty heap, to the next loss. */
int hs_lab_reader_segment(hs_lab_reader_t *reader, uint64_t segment);
/* Segments that were seen. */
uint64_t hs_lab_reader_segments(const hs_lab_reader_t *reader);
void hs_lab_reader_health(const hs_lab_reader_t *reader, hs_lab_health_t *out);
void hs_lab_reader_census(const hs_lab_reader_t *reader, hs_lab_census_t *out);
/* Known when the reader is finished. */
void hs_lab_reader_loss(const hs_lab_reader_t *reader, hs_lab_loss_t *out);
/* A recorder on a chip told it; a census alone knows it. */
void hs_lab_recording(const hs_lab_reader_t *reader, hs_lab_recording_t *out);
size_t hs_lab_dropped(const hs_lab_reader_t *reader, hs_lab_dropped_row_t *rows, size_t capacity);
size_t hs_lab_levels(const hs_lab_reader_t *reader, hs_lab_level_row_t *rows, size_t capacity);
size_t hs_lab_reader_metadata_count(const hs_lab_reader_t *reader);
/* Key (NUL-terminated) and value; returns the value's length. Both are untrusted bytes. */
size_t hs_lab_reader_metadata(const hs_lab_reader_t *reader, size_t index, const char **key,
                              const uint8_t **value);
/* tables: 0 task, 1 mark, 2 site, 3 heap, 4 pool */
/* The lowest index from `index` on that has a name, or that heap events used; UINT32_MAX: none. */
uint32_t hs_lab_reader_name_next(const hs_lab_reader_t *reader, uint32_t table, uint32_t index);
/* Bytes of a name; *bytes is NULL where none was given. */
size_t hs_lab_reader_name(const hs_lab_reader_t *reader, uint32_t table, uint32_t index,
                          const uint8_t **bytes);
/* A row for each index that hs_lab_reader_name_next() gives, in its order. `bytes`: room for the names one behind the
 * other, as the last row says how much they need; NULL: only the rows. */
size_t hs_lab_reader_names(const hs_lab_reader_t *reader, uint32_t table, uint8_t *bytes,
                           hs_lab_name_row_t *rows, size_t capacity);
void hs_lab_summary(const hs_lab_reader_t *reader, hs_lab_summary_t *out);
size_t hs_lab_regions(const hs_lab_reader_t *reader, hs_lab_region_row_t *rows, size_t capacity);
size_t hs_lab_tasks(const hs_lab_reader_t *reader, hs_lab_task_row_t *rows, size_t capacity);
size_t hs_lab_capsets(const hs_lab_reader_t *reader, hs_lab_set_row_t *rows, size_t capacity);
size_t hs_lab_kinds(const hs_lab_reader_t *reader, hs_lab_set_row_t *rows, size_t capacity);
size_t hs_lab_needs(const hs_lab_reader_t *reader, hs_lab_need_row_t *rows, size_t capacity);
/* All failures up to HS_LAB_FAILURES_MAX, else a sample spread over the run, by event. */
size_t hs_lab_failures(const hs_lab_reader_t *reader, hs_lab_failure_row_t *rows, size_t capacity);
size_t hs_lab_failure_regions(const hs_lab_reader_t *reader, size_t failure,
                              hs_lab_failure_region_t *rows, size_t capacity);
/* Equal spans over the whole run, at most HS_LAB_FAILURE_SPANS; none where nothing failed. */
size_t hs_lab_failure_spans(const hs_lab_reader_t *reader, hs_lab_failure_span_t *rows,
                            size_t capacity);
/* One row a rule, and one more; none without rules. */
size_t hs_lab_rules(const hs_lab_reader_t *reader, hs_lab_rule_row_t *rows, size_t capacity);
size_t hs_lab_anomalies(const hs_lab_reader_t *reader, hs_lab_anomaly_row_t *rows, size_t capacity);
void hs_lab_explain(const hs_lab_reader_t *reader, hs_lab_explanation_t *out);
size_t hs_lab_explain_regions(const hs_lab_reader_t *reader, hs_lab_explanation_region_t *rows,
                              size_t capacity);
/* Marks, and every figure as it stood at one. */
size_t hs_lab_marks(const hs_lab_reader_t *reader, hs_lab_mark_row_t *rows, size_t capacity);
uint64_t hs_lab_marks_seen(const hs_lab_reader_t *reader); /* those beyond the maximum included */
size_t hs_lab_mark_regions(const hs_lab_reader_t *reader, size_t mark, hs_lab_region_row_t *rows,
                           size_t capacity);
size_t hs_lab_mark_tasks(const hs_lab_reader_t *reader, size_t mark, hs_lab_task_row_t *rows,
                         size_t capacity);
size_t hs_lab_mark_capsets(const hs_lab_reader_t *reader, size_t mark, hs_lab_set_row_t *rows,
                           size_t capacity);

/* ---- one heap alone, without a trace ---- */
/* A new heap on a region, and on it mallocs of `block` bytes until `most` are served (0: it stays
 * empty) or one fails. Status as hs_sim_new's: 1 no such allocator, 2 it refuses the region. */
int hs_lab_fill_heap(const char *allocator, uint32_t base, uint32_t size, uint32_t block,
                     uint32_t most, hs_lab_filled_t *out);
/* Fills HS_LAB_DRILL_PHASES rows. Status as above, 2 also without host memory. */
int hs_lab_drill_heap(const char *allocator, uint32_t base, uint32_t size,
                      const hs_lab_drill_t *drill, hs_lab_phase_t *phases);

/* ---- heaps in a given state, without a trace ---- */
typedef struct hs_lab_state hs_lab_state_t;

/* The regions of `config` with their blocks; of the rest of it, malloc's rule and the largest request
 * count. Status as hs_lab_reader_new's. */
hs_lab_state_t *hs_lab_state_new(const hs_lab_config_t *config, int *status, uint32_t *where);
void hs_lab_state_delete(hs_lab_state_t *state);
/* Serves the request as the chip would, and its block stays; `own` plays no part. */
void hs_lab_state_request(hs_lab_state_t *state, const hs_lab_request_t *request,
                          hs_lab_served_t *out);
/* Frees the block that a request was served with, where `served` says, and which no call freed yet. */
void hs_lab_state_free(hs_lab_state_t *state, const hs_lab_served_t *served);
/* The bytes of a region as they are on the chip, but for payload and poison, which a model does not write;
 * at most `capacity`. Returns the region's size, 0 where it has no heap. */
size_t hs_lab_state_bytes(const hs_lab_state_t *state, uint32_t region, uint8_t *bytes,
                          size_t capacity);
size_t hs_lab_state_regions(hs_lab_state_t *state, hs_lab_state_row_t *rows, size_t capacity);
/* The blocks of a region, by address; holes 1: its holes alone. */
size_t hs_lab_state_blocks(const hs_lab_state_t *state, uint32_t region, uint32_t holes,
                           hs_lab_held_t *rows, size_t capacity);

/* ---- which regions a request asks ---- */
/* The tries, in turn, of regions too small for a heap, too. `has`: 3 sets a region, by priority. */
size_t hs_lab_attempts(const uint32_t *has, size_t regions, uint32_t caps, hs_lab_attempt_t *rows,
                       size_t capacity);
void hs_lab_by_hardware(const hs_lab_hardware_t *hardware, uint32_t align_size_caps[3]);

/* ---- what stands in the way of a request, at one moment ---- */
/* Before the first push: takes no event from `stop` on, so that all rows are as of then. */
int hs_lab_reader_stop(hs_lab_reader_t *reader, uint64_t stop);
/* Before the first push: blocks of these call sites may be moved (lab/native/replay/movable.h). HS_ERR_ARGUMENT,
 * HS_ERR_MEMORY. */
int hs_lab_reader_movable(hs_lab_reader_t *reader, const uint32_t *sites, size_t count);
/* Blocks that were moved, each time, and requests that this made succeed. */
void hs_lab_moved(const hs_lab_reader_t *reader, uint64_t counts[2]);
/* One row a region. */
size_t hs_lab_holes(hs_lab_reader_t *reader, const hs_lab_request_t *request,
                    hs_lab_hole_row_t *rows, size_t capacity);
/* The pieces of a region that lie, at least in part, between two addresses, in their order. */
size_t hs_lab_pieces(const hs_lab_reader_t *reader, uint32_t region, uint32_t from, uint32_t to,
                     hs_lab_piece_row_t *rows, size_t capacity);

/* ---- the timeline of a replay ---- */
void hs_lab_timeline(const hs_lab_reader_t *reader, hs_lab_timeline_t *out);
/* Task index of a task series. */
uint32_t hs_lab_timeline_task(const hs_lab_reader_t *reader, uint32_t position);
/* Each fills buckets x series values, row by row; first_time one value a bucket. */
void hs_lab_timeline_values(const hs_lab_reader_t *reader, uint32_t *least, uint32_t *most,
                            uint64_t *first_time);
/* The three largest figures for malloc at each bucket's last event: largest_free, largest_reported,
 * largest_allocatable; buckets x 3 values. */
void hs_lab_timeline_largest(const hs_lab_reader_t *reader, uint32_t *values);

/* ---- trying pools ---- */
/* A trace's heap events, kept to be replayed on many pools, all at the address `base`; 12 bytes an
 * event (lab/native/fit/fit.h). */
typedef struct hs_lab_steps hs_lab_steps_t;

hs_lab_steps_t *hs_lab_steps_new(uint32_t base);
void hs_lab_steps_delete(hs_lab_steps_t *steps);
/* For a census, before the first push: its events go into `steps` too, which has to outlive the last
 * push. */
int hs_lab_reader_load(hs_lab_reader_t *reader, hs_lab_steps_t *steps);
/* Before the first push: only blocks that this task asks for are kept, whoever frees them. */
void hs_lab_steps_only(hs_lab_steps_t *steps, uint32_t task);
/* Before it is filled: the rules of the configuration say which requests take from the high end of a free
 * block; nothing else of it counts. HS_ERR_ARGUMENT, HS_ERR_MEMORY. */
int hs_lab_steps_ends(hs_lab_steps_t *steps, const hs_lab_config_t *config);
/* The most bytes, as asked for, that were live at once; and a size below which no pool serves the trace. */
uint64_t hs_lab_steps_peak(const hs_lab_steps_t *steps);
uint64_t hs_lab_steps_floor(const hs_lab_steps_t *steps);
/* The gain of knowing the future (lab/native/offline/offline.h). HS_ERR_MEMORY. */
int hs_lab_steps_offline(const hs_lab_steps_t *steps, hs_lab_offline_t *out);
/* The pool that cannot fail (lab/native/fit/bound.h). HS_ERR_ARGUMENT, HS_ERR_MEMORY. */
int hs_lab_steps_bound(const hs_lab_steps_t *steps, const char *allocator, hs_lab_bound_t *out);
/* One replay on a fresh pool. May be called from several threads at once, when all is loaded. */
int hs_lab_steps_try(const hs_lab_steps_t *steps, const char *allocator, uint32_t size,
                     hs_lab_fit_t *out);
/* The trace goes the same on all pools of one likeness, whatever their allocators. 0: it has none. */
uint32_t hs_lab_steps_likeness(const hs_lab_steps_t *steps, const char *allocator, uint32_t size);
/* Does the allocator make a heap of this size? 1 or 0. */
int hs_lab_has_heap(const char *allocator, uint32_t base, uint32_t size);
/* Does a trace that survives on a pool survive on every larger one that has a heap? 1: yes, always. */
int hs_lab_keeps_places(const char *allocator);

/* ---- other runs of a trace, as plausible as the recorded one ---- */
/* The variety of a program that one recording shows (lab/native/jitter). */
typedef struct hs_lab_shown hs_lab_shown_t;

hs_lab_shown_t *hs_lab_shown_new(void);
void hs_lab_shown_delete(hs_lab_shown_t *shown);
void hs_lab_shown_figures(const hs_lab_shown_t *shown, hs_lab_variety_t *out);
/* For a census, before the first push: `shown` learns from its events. */
int hs_lab_reader_learn(hs_lab_reader_t *reader, hs_lab_shown_t *shown);
/* Before the first push: what is read becomes the run of this seed. `shown` has learnt from the same
 * trace and outlives the reader. `strength`: 0, the recorded run, to 1. `reach`: ticks that a task may
 * be late at strength 1; 0: the order stays. */
int hs_lab_reader_jitter(hs_lab_reader_t *reader, const hs_lab_shown_t *shown, uint64_t seed,
                         double strength, uint64_t reach);

/* ---- a program that goes on: a stretch of its trace, round after round ---- */
/* lab/native/jitter/cycle.h */
typedef struct hs_lab_cycle hs_lab_cycle_t;

/* For a census, before the first push: it looks for a stretch; `events`: the heap events of the trace. */
int hs_lab_reader_look_for_cycle(hs_lab_reader_t *reader, uint64_t events);
/* When the trace is over. 0: it has too few events. */
int hs_lab_reader_cycle(const hs_lab_reader_t *reader, uint64_t stretch[2]);
/* NULL: *status is HS_ERR_ARGUMENT, no stretch or too many events, or HS_ERR_MEMORY. */
hs_lab_cycle_t *hs_lab_cycle_new(uint64_t first, uint64_t stop, int *status);
void hs_lab_cycle_delete(hs_lab_cycle_t *cycle);
/* For a census, before the first push: `cycle` learns from its events. Close it when they are over. */
int hs_lab_reader_learn_cycle(hs_lab_reader_t *reader, hs_lab_cycle_t *cycle);
int hs_lab_cycle_close(hs_lab_cycle_t *cycle);
void hs_lab_cycle_level(hs_lab_cycle_t *cycle, uint32_t task, uint32_t site, uint64_t round);
size_t hs_lab_cycle_growth(const hs_lab_cycle_t *cycle, hs_lab_growth_row_t *rows, size_t capacity);
/* The blocks that the stretch allocates, in order. Those of round R, from 1 on, have the keys HS_LAB_ROUND_KEY +
 * (R - 1) * their number and so on. */
size_t hs_lab_cycle_births(const hs_lab_cycle_t *cycle, hs_lab_growth_row_t *rows, size_t capacity);
/* Before the first push of a perturbed replay: no event from the end of the stretch on is taken. `cycle` is
 * closed, has learnt from the same trace and outlives the reader. */
int hs_lab_reader_repeat(hs_lab_reader_t *reader, const hs_lab_cycle_t *cycle);
/* When the trace is over: up to `most` more rounds, until one in which a request fails, or a need fits at
 * no moment. May be called again. */
int hs_lab_reader_rounds(hs_lab_reader_t *reader, uint64_t most, hs_lab_rounds_t *out);

/* ---- what the pictures of a report are drawn from: two replays of one trace ---- */
/* Before the first push of a replay: keeps at most so many columns (even, at least 2). */
int hs_lab_reader_survey(hs_lab_reader_t *reader, uint32_t columns);
size_t hs_lab_columns(const hs_lab_reader_t *reader, hs_lab_column_row_t *rows, size_t capacity);
/* The closest served request of each kind that served it. */
size_t hs_lab_closest(const hs_lab_reader_t *reader, hs_lab_closest_row_t *rows, size_t capacity);
/* Before the first push of a replay: draws the heap after each of these heap events (ascending),
 * with so many rows for each region, and notes who holds what after event `peak`. */
int hs_lab_reader_draw(hs_lab_reader_t *reader, const uint64_t *events, size_t columns,
                       const uint32_t *rows, uint64_t peak);
void hs_lab_picture(const hs_lab_reader_t *reader, hs_lab_picture_t *out);
/* Each fills columns x rows cells, column by column. used: 0 free, 255 full; size and age (events)
 * are logarithmic, 1 + 8 log2; block: number of its row plus 1, 0: none or not kept. */
void hs_lab_picture_cells(const hs_lab_reader_t *reader, uint8_t *owner, uint8_t *used,
                          uint8_t *size, uint8_t *age, uint32_t *block);
size_t hs_lab_picture_moments(const hs_lab_reader_t *reader, hs_lab_picture_moment_t *rows,
                              size_t capacity);
/* Fills columns x tasks bytes of payload. */
void hs_lab_picture_payload(const hs_lab_reader_t *reader, uint32_t *bytes);
/* Task index of a position. */
uint32_t hs_lab_picture_task(const hs_lab_reader_t *reader, uint32_t position);
size_t hs_lab_picture_blocks(const hs_lab_reader_t *reader, hs_lab_block_row_t *rows,
                             size_t capacity);
size_t hs_lab_sites(const hs_lab_reader_t *reader, hs_lab_holding_row_t *rows, size_t capacity);
size_t hs_lab_size_classes(const hs_lab_reader_t *reader, hs_lab_holding_row_t *rows,
                           size_t capacity);

/* ---- for other programs: what each event did, who allocated what, counters over time ---- */
/* Before the first push, of a census or a replay: keeps what is asked for. A span of events gives at
 * most three samples of a counter, its least, most and last; span 1: every change. */
int hs_lab_reader_export(hs_lab_reader_t *reader, uint32_t what, uint64_t span);
/* Take these two after each push and after finish. Samples come by span, within it by counter. */
size_t hs_lab_export_rows(hs_lab_reader_t *reader, hs_lab_export_row_t *rows, size_t capacity);
size_t hs_lab_export_samples(hs_lab_reader_t *reader, hs_lab_sample_t *rows, size_t capacity);
size_t hs_lab_export_profile(const hs_lab_reader_t *reader, hs_lab_profile_row_t *rows,
                             size_t capacity);
void hs_lab_export_peak(const hs_lab_reader_t *reader, hs_lab_profile_t *out);

/* ---- the life of every block of a replay with HS_LAB_EXPORT_HISTORY, at any time ---- */
void hs_lab_history(const hs_lab_reader_t *reader, hs_lab_history_t *out);
/* Blocks that come later pass until this is called again. */
int hs_lab_history_filter(hs_lab_reader_t *reader, const hs_lab_filter_t *filter);
/* `owners`: width x height, column by column: 0, or 1 + the task of the block born last of those that are
 * in the pixel and pass. By column: `failed`, the failed requests that pass; `live`, the bytes live after its
 * last event of the blocks that pass. */
int hs_lab_history_draw(const hs_lab_reader_t *reader, const hs_lab_view_t *view, uint16_t *owners,
                        uint32_t *failed, uint64_t *live);
/* By column: the most bytes live after one of its events of the blocks that pass. */
int hs_lab_history_most(const hs_lab_reader_t *reader, const hs_lab_view_t *view, uint64_t *most);
/* Sums for hs_lab_history_sums: of what was asked for within a view (width and height do not matter); of
 * the difference of the live blocks after two events. */
int hs_lab_history_range(hs_lab_reader_t *reader, const hs_lab_view_t *view);
int hs_lab_history_difference(hs_lab_reader_t *reader, uint64_t first, uint64_t second);
size_t hs_lab_history_sums(const hs_lab_reader_t *reader, hs_lab_history_sum_t *rows,
                           size_t capacity);
/* The block at an address after an event, and its neighbours below and above when it was born: 3 rows. */
void hs_lab_history_pick(const hs_lab_reader_t *reader, uint64_t event, uint32_t region,
                         uint32_t address, hs_lab_life_t *rows);
/* The time of an event, and the first event at a time or later. */
uint64_t hs_lab_history_time(const hs_lab_reader_t *reader, uint64_t event);
uint64_t hs_lab_history_event(const hs_lab_reader_t *reader, uint64_t time);

/* ---- rows as text ---- */
/* Writes whole rows as long as they fit, returns how many, *written: bytes. Names are not looked into:
 * the caller has quoted them. */
size_t hs_lab_rows_text(const hs_lab_cell_t *cells, size_t cell_count, const uint8_t *rows,
                        size_t row_size, size_t row_count, uint8_t *out, size_t capacity,
                        size_t *written);

/* ---- pools of a trace, with their sizes or others ---- */
/* hs_pools_replay for the binding; initial 0: sizes as recorded. */
int hs_lab_pools_replay(const hs_lab_event_t *events, size_t count, const uint8_t *chosen,
                        uint32_t pools, uint32_t initial, uint32_t increment,
                        const hs_lab_pool_rule_t *rule, uint64_t *allocated, uint64_t *used,
                        hs_lab_pool_totals_t *out);

/* ---- heaps and loaded traces, for a library beside this one that links nothing of it ---- */
typedef struct hs_sim hs_lab_heap_t; /* hs_sim_t (lab/models/model.h) */

/* Offsets are as in lab/models/model.h; UINT32_MAX: there is no block. */
typedef struct hs_lab_heap_calls {
    /* NULL: *status tells why: 1 no such allocator, 2 it refuses the size, or no host memory. */
    hs_lab_heap_t *(*create)(const char *allocator, uint32_t base, uint32_t size, int *status);
    void (*destroy)(hs_lab_heap_t *heap); /* NULL is fine */
    uint32_t (*malloc)(hs_lab_heap_t *heap, uint32_t size);
    uint32_t (*aligned)(hs_lab_heap_t *heap, uint32_t align, uint32_t size);
    uint32_t (*realloc)(hs_lab_heap_t *heap, uint32_t offset, uint32_t size);
    void (*free)(hs_lab_heap_t *heap, uint32_t offset, uint32_t aligned);
    void (*work)(const hs_lab_heap_t *heap, hs_lab_work_t *out);
    void (*state)(hs_lab_heap_t *heap, hs_lab_heap_state_t *out);
    uint64_t (*steps)(const hs_lab_steps_t *trace);
    uint64_t (*slots)(const hs_lab_steps_t *trace); /* each step's slot is below it */
    void (*step)(const hs_lab_steps_t *trace, uint64_t index, hs_lab_step_t *out);
} hs_lab_heap_calls_t;

const hs_lab_heap_calls_t *hs_lab_heap_calls(void);
uint64_t hs_lab_steps_count(const hs_lab_steps_t *steps);
/* cffi: end */

#endif
