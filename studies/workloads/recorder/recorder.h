/*
 * A heap that records itself: malloc and its kin for a program that is to leave a trace (.hst). The
 * program's allocation hooks call these instead of the C library's; blocks come from there, the
 * events go through the encoder of device/src/trace into a file. Blocks are known by sequential id,
 * so that a trace is the same on every host. Not for several threads at a time.
 */
#ifndef HEAPSCOPE_WORKLOADS_RECORDER_H
#define HEAPSCOPE_WORKLOADS_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"

typedef struct hs_rec hs_rec_t;

/* The memory that the program asked for, in payload bytes: no allocator's headers are included. */
typedef struct hs_rec_use {
    uint64_t live, peak; /* bytes; peak since the start or hs_rec_peak_restart */
    uint64_t blocks;     /* live */
    uint64_t requests;   /* malloc, calloc, aligned and realloc calls that succeeded */
} hs_rec_use_t;

/* Opens a recording into the file `path`. `program` and `config` go into the trace's metadata.
 * NULL: the file cannot be written, or no memory. */
hs_rec_t *hs_rec_open(const char *path, const char *program, const char *config);

/* They behave as the C library's: NULL without memory, or when count * size overflows. A request
 * for 0 bytes returns NULL and is not recorded: ESP-IDF's malloc returns NULL too, so the program
 * goes on as it would on a chip. A failed request is recorded as FAILED. O(1). */
void *hs_rec_malloc(hs_rec_t *rec, size_t size);
void *hs_rec_calloc(hs_rec_t *rec, size_t count, size_t size);

/* `align` is a power of two. */
void *hs_rec_aligned(hs_rec_t *rec, size_t align, size_t size);

/* realloc(NULL, n) is recorded as malloc, realloc(p, 0) as free; the latter returns NULL. */
void *hs_rec_realloc(hs_rec_t *rec, void *block, size_t size);
void hs_rec_free(hs_rec_t *rec, void *block); /* NULL is allowed */

/* The events that follow are of this task; HS_ERR_MEMORY: more than 16 different names. */
hs_status_t hs_rec_task(hs_rec_t *rec, const char *name);

/* One more fact about the trace's origin; before the first event. */
hs_status_t hs_rec_fact(hs_rec_t *rec, const char *key, const char *value);

/* A new pool's index; as many may have the same name as are wanted. */
uint32_t hs_rec_pool_new(hs_rec_t *rec, const char *name);
/* `initial` bytes are its first block. A pool that lives is emptied and keeps that block. */
void hs_rec_pool_create(hs_rec_t *rec, uint32_t pool, size_t initial, size_t increment);
/* `kind` is HS_EVENT_POOL_GROW, _ALLOC (`bytes` as asked for) or _RELEASE. */
void hs_rec_pool(hs_rec_t *rec, int kind, uint32_t pool, size_t bytes);

/* A named point of the run. HS_ERR_MEMORY: more than 256 marks. */
hs_status_t hs_rec_mark(hs_rec_t *rec, const char *name);

hs_rec_use_t hs_rec_use(const hs_rec_t *rec);
void hs_rec_peak_restart(hs_rec_t *rec);

/* Ends the trace and frees the recorder, not the blocks. Returns the first thing that went wrong
 * while recording: a trace is complete only with HS_OK. */
hs_status_t hs_rec_close(hs_rec_t *rec);

#endif
