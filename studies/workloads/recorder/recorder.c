#include "recorder.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heapscope/trace.h"

#define TASKS_MAX 16
#define MARKS_MAX 256
#define CHUNK_BYTES 65000

/*
 *  base                     payload
 *  |<------- offset ------->|
 *  | gap | size, id, offset | asked-for bytes ... |
 */
typedef struct header {
    uint64_t id;
    uint32_t size;
    uint32_t offset;
} header_t;

static_assert(sizeof(header_t) == 16, "payloads stay aligned to 16");

struct hs_rec {
    FILE *file;
    hs_trace_t *trace;
    hs_status_t status; /* the first that was not HS_OK */
    hs_rec_use_t use;
    uint32_t task, tasks, marks, pools;
    char *task_names[TASKS_MAX];
    _Alignas(8) uint8_t memory[CHUNK_BYTES];
};

static hs_status_t keep(hs_rec_t *rec, hs_status_t status)
{
    if (rec->status == HS_OK) {
        rec->status = status;
    }
    return status;
}

static hs_status_t write_bytes(void *context, const uint8_t *bytes, size_t count)
{
    hs_rec_t *rec = context;
    return fwrite(bytes, 1, count, rec->file) == count ? HS_OK : HS_ERR_SINK;
}

static void write_event(hs_rec_t *rec, hs_event_t event)
{
    event.task = rec->task;
    keep(rec, hs_trace_event(rec->trace, &event));
}

hs_rec_t *hs_rec_open(const char *path, const char *program, const char *config)
{
    hs_rec_t *rec = calloc(1, sizeof *rec);
    if (rec == NULL) {
        return NULL;
    }
    rec->file = fopen(path, "wb");
    hs_trace_config_t settings = {.sink = write_bytes, .context = rec};
    rec->trace = hs_trace_open(rec->memory, sizeof rec->memory, &settings);
    if (rec->file == NULL || rec->trace == NULL) {
        if (rec->file != NULL) {
            fclose(rec->file);
        }
        free(rec);
        return NULL;
    }
    char word_size[2] = {(char)('0' + sizeof(void *)), 0};
    keep(rec, hs_trace_metadata(rec->trace, "word_size", word_size));
    keep(rec, hs_trace_metadata(rec->trace, "source", "workload"));
    keep(rec, hs_trace_metadata(rec->trace, "recorder", "heapscope workloads/recorder 1"));
    keep(rec, hs_trace_metadata(rec->trace, "program", program));
    keep(rec, hs_trace_metadata(rec->trace, "config", config));
    return rec;
}

/* ---- blocks ------------------------------------------------------------------------------------ */

static header_t *header_of(void *block)
{
    return (header_t *)block - 1;
}

static void *base_of(void *block)
{
    return (char *)block - header_of(block)->offset;
}

/* A block of the C library with room for the header; its id is set by the caller. */
static void *take(size_t align, size_t size)
{
    size_t offset = align > sizeof(header_t) ? align : sizeof(header_t);
    if (size > UINT32_MAX - offset) {
        return NULL;
    }
    void *base = NULL;
    if (posix_memalign(&base, offset, offset + size) != 0) {
        return NULL;
    }
    void *block = (char *)base + offset;
    *header_of(block) = (header_t){.size = (uint32_t)size, .offset = (uint32_t)offset};
    return block;
}

static void count_change(hs_rec_t *rec, size_t before, size_t after)
{
    rec->use.live = rec->use.live - before + after;
    if (rec->use.live > rec->use.peak) {
        rec->use.peak = rec->use.live;
    }
}

static uint8_t log2_of(size_t align)
{
    uint8_t log2 = 0;
    while (log2 < 31 && (size_t)1 << log2 < align) {
        log2++;
    }
    return log2;
}

static void *allocate(hs_rec_t *rec, hs_event_kind_t kind, size_t align, size_t size)
{
    if (size == 0) {
        return NULL;
    }
    void *block = take(align, size);
    hs_event_t event = {.kind = (uint8_t)kind, .size = size};
    if (kind == HS_EVENT_ALIGNED) {
        event.align_log2 = log2_of(align);
    }
    if (block == NULL) {
        event.kind = HS_EVENT_FAILED;
        event.new_key = kind;
    } else {
        event.key = header_of(block)->id = hs_trace_next_id(rec->trace);
        rec->use.blocks++;
        rec->use.requests++;
        count_change(rec, 0, size);
    }
    write_event(rec, event);
    return block;
}

void *hs_rec_malloc(hs_rec_t *rec, size_t size)
{
    return allocate(rec, HS_EVENT_MALLOC, 1, size);
}

void *hs_rec_calloc(hs_rec_t *rec, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) {
        return NULL; /* nothing that a heap was asked for */
    }
    void *block = allocate(rec, HS_EVENT_CALLOC, 1, count * size);
    return block == NULL ? NULL : memset(block, 0, count * size);
}

void *hs_rec_aligned(hs_rec_t *rec, size_t align, size_t size)
{
    return allocate(rec, HS_EVENT_ALIGNED, align, size);
}

void *hs_rec_realloc(hs_rec_t *rec, void *block, size_t size)
{
    if (block == NULL) {
        return hs_rec_malloc(rec, size);
    }
    if (size == 0) {
        hs_rec_free(rec, block);
        return NULL;
    }
    header_t old = *header_of(block);
    void *moved = take(1, size);
    hs_event_t event = {.kind = HS_EVENT_REALLOC, .key = old.id, .new_key = old.id, .size = size};
    if (moved == NULL) {
        event.kind = HS_EVENT_FAILED;
        event.new_key = HS_EVENT_REALLOC;
        write_event(rec, event);
        return NULL;
    }
    memcpy(moved, block, old.size < size ? old.size : size);
    header_of(moved)->id = old.id;
    rec->use.requests++;
    count_change(rec, old.size, size);
    write_event(rec, event);
    free(base_of(block));
    return moved;
}

void hs_rec_free(hs_rec_t *rec, void *block)
{
    if (block == NULL) {
        return;
    }
    write_event(rec, (hs_event_t){.kind = HS_EVENT_FREE, .key = header_of(block)->id});
    rec->use.blocks--;
    count_change(rec, header_of(block)->size, 0);
    free(base_of(block));
}

/* ---- names ------------------------------------------------------------------------------------- */

/* The index of a task's name, or TASKS_MAX. */
static uint32_t find_task(const hs_rec_t *rec, const char *name)
{
    for (uint32_t i = 0; i < rec->tasks; i++) { /* at most TASKS_MAX rounds */
        if (strcmp(rec->task_names[i], name) == 0) {
            return i;
        }
    }
    return TASKS_MAX;
}

static uint32_t add_task(hs_rec_t *rec, const char *name)
{
    char *copy = rec->tasks < TASKS_MAX ? strdup(name) : NULL;
    if (copy == NULL) {
        return TASKS_MAX;
    }
    rec->task_names[rec->tasks] = copy;
    keep(rec, hs_trace_name(rec->trace, HS_NAMES_TASK, rec->tasks, name, strlen(name)));
    return rec->tasks++;
}

hs_status_t hs_rec_task(hs_rec_t *rec, const char *name)
{
    uint32_t task = find_task(rec, name);
    if (task == TASKS_MAX) {
        task = add_task(rec, name);
    }
    if (task == TASKS_MAX) {
        return keep(rec, HS_ERR_MEMORY);
    }
    rec->task = task;
    return rec->status;
}

hs_status_t hs_rec_mark(hs_rec_t *rec, const char *name)
{
    if (rec->marks == MARKS_MAX) {
        return keep(rec, HS_ERR_MEMORY);
    }
    keep(rec, hs_trace_name(rec->trace, HS_NAMES_MARK, rec->marks, name, strlen(name)));
    write_event(rec, (hs_event_t){.kind = HS_EVENT_MARK, .key = rec->marks});
    rec->marks++;
    return rec->status;
}

hs_status_t hs_rec_fact(hs_rec_t *rec, const char *key, const char *value)
{
    return keep(rec, hs_trace_metadata(rec->trace, key, value));
}

/* ---- pools ------------------------------------------------------------------------------------- */

uint32_t hs_rec_pool_new(hs_rec_t *rec, const char *name)
{
    keep(rec, hs_trace_name(rec->trace, HS_NAMES_POOL, rec->pools, name, strlen(name)));
    return rec->pools++;
}

void hs_rec_pool_create(hs_rec_t *rec, uint32_t pool, size_t initial, size_t increment)
{
    hs_event_t event = {
        .kind = HS_EVENT_POOL_CREATE, .key = pool, .size = initial, .new_key = increment};
    write_event(rec, event);
}

void hs_rec_pool(hs_rec_t *rec, int kind, uint32_t pool, size_t bytes)
{
    write_event(rec, (hs_event_t){.kind = (uint8_t)kind, .key = pool, .size = bytes});
}

/* ---- figures and the end ----------------------------------------------------------------------- */

hs_rec_use_t hs_rec_use(const hs_rec_t *rec)
{
    return rec->use;
}

void hs_rec_peak_restart(hs_rec_t *rec)
{
    rec->use.peak = rec->use.live;
}

hs_status_t hs_rec_close(hs_rec_t *rec)
{
    keep(rec, hs_trace_close(rec->trace));
    keep(rec, fclose(rec->file) == 0 ? HS_OK : HS_ERR_SINK);
    hs_status_t status = rec->status;
    for (uint32_t i = 0; i < rec->tasks; i++) {
        free(rec->task_names[i]);
    }
    free(rec);
    return status;
}
