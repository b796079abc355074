#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "pause.h"
#include "workers.h"

#define INHERITED "inherited"

static void keep(hs_rec_image_t *image, hs_status_t status)
{
    if (image->status == HS_OK) {
        image->status = status;
    }
}

/* ---- output ---- */

static hs_status_t put_bytes(void *context, const uint8_t *bytes, size_t count)
{
    hs_rec_image_t *image = context;
    const hs_status_t status = hs_queue_put(&image->ready, bytes, count);
    image->counts.written += status == HS_OK ? count : 0;
    image->counts.whole_events = image->counts.events;
    image->counts.whole_peak = image->counts.live_peak;
    return status;
}

size_t hs_rec_image_bytes(hs_rec_image_t *image, uint8_t *out, size_t capacity)
{
    return hs_queue_take(&image->ready, out, 1, capacity);
}

void hs_rec_image_put(hs_rec_image_t *image, hs_event_t event)
{
    const bool is_heap = HS_EVENT_IS_HEAP(event.kind);
    if (image->paused && (is_heap || event.kind == HS_EVENT_MARK)) {
        return;
    }
    event.time = image->time;
    keep(image, hs_trace_event(image->trace, &event));
    image->counts.events += is_heap ? 1u : 0u;
}

static void put_event(hs_rec_image_t *image, const hs_rec_worker_t *worker, hs_event_t event)
{
    event.task = worker == NULL ? 0 : worker->task;
    hs_rec_image_put(image, event);
}

/* The id of a block that is made now. */
static uint64_t next_id(hs_rec_image_t *image)
{
    return image->paused ? image->hidden++ : hs_trace_next_id(image->trace);
}

static void count_unknown(hs_rec_image_t *image)
{
    image->counts.unknown += image->paused ? 0u : 1u;
}

/* ---- beginning and end ---- */

static void put_fact(hs_rec_image_t *image, const char *key, const char *value)
{
    if (value[0] != 0) {
        (void)hs_trace_metadata(image->trace, key, value); /* one that is too long is left out */
    }
}

static void put_origin(hs_rec_image_t *image, const hs_rec_origin_t *origin)
{
    put_fact(image, "word_size", image->word_size == 4 ? "4" : "8");
    put_fact(image, "clock_hz", "1000000");
    put_fact(image, "source", "linux");
    put_fact(image, "allocator", image->libc);
    put_fact(image, "recorder", origin->recorder);
    put_fact(image, "program", origin->program == NULL ? image->program : origin->program);
    put_fact(image, "snapshots",
             origin->begun_late ? "0" : ""); /* of its blocks nothing is known */
}

hs_rec_image_t *hs_rec_image_new(const hs_rec_ring_t *ring, const hs_rec_origin_t *origin)
{
    hs_rec_image_t *image = calloc(1, sizeof *image);
    if (image == NULL) {
        return NULL;
    }
    image->pid = ring->pid;
    image->word_size = ring->word_size == 4 ? 4 : 8;
    memcpy(image->program, ring->program, sizeof image->program - 1);
    memcpy(image->libc, ring->libc, sizeof image->libc - 1);
    image->addresses = origin->has_addresses;
    image->forked = ring->forked == HS_REC_FORKED || ring->forked == HS_REC_BEGUN_LATE;
    image->begun_late = origin->begun_late;
    image->paused = origin->paused;
    image->started = !origin->paused;
    image->hidden = HS_REC_HIDDEN_ID;
    const unsigned features = HS_TRACE_CLOCK | (origin->has_sites != 0 ? HS_TRACE_SITES : 0u) |
                              (image->addresses != 0 ? HS_TRACE_ADDRESSES : 0u);
    /* Shift 0: an allocator of the program's own may give any address. */
    const hs_trace_config_t config = {(uint16_t)features, 0, put_bytes, image};
    image->trace = hs_trace_open(image->memory, HS_REC_CHUNK_MEMORY, &config);
    if (hs_rec_blocks_init(&image->blocks) != HS_OK || hs_name_index_init(&image->tasks) != HS_OK ||
        hs_name_index_init(&image->marks) != HS_OK || hs_name_index_init(&image->pools) != HS_OK) {
        hs_rec_image_delete(image);
        return NULL;
    }
    put_origin(image, origin);
    (void)hs_rec_task_of(image, "main", 4);
    return image;
}

void hs_rec_image_delete(hs_rec_image_t *image)
{
    if (image == NULL) {
        return;
    }
    for (size_t i = 0; i < image->worker_count; i++) {
        free(image->workers[i].text);
    }
    free(image->workers);
    hs_rec_blocks_clear(&image->blocks);
    hs_name_index_clear(&image->tasks);
    hs_name_index_clear(&image->marks);
    hs_name_index_clear(&image->pools);
    free(image->stacks.frames);
    free(image->stacks.sites);
    free(image->stacks.spans);
    free(image->modules);
    free(image->reported);
    free(image->named);
    free(image->stacks.keys);
    hs_queue_free(&image->ready);
    free(image);
}

void hs_rec_image_site_name(hs_rec_image_t *image, uint32_t site, const char *name, size_t length)
{
    (void)hs_trace_site(image->trace, site, name, length);
}

void hs_rec_image_fact(hs_rec_image_t *image, const char *key, const char *value)
{
    put_fact(image, key, value);
}

void hs_rec_image_finish(hs_rec_image_t *image)
{
    hs_rec_image_tell_parts(image);
    keep(image, hs_trace_close(image->trace));
}

void hs_rec_image_lose(hs_rec_image_t *image, uint64_t count)
{
    image->counts.lost += count;
    put_event(image, NULL, (hs_event_t){.kind = HS_EVENT_LOST, .size = count});
}

/* ---- blocks ---- */

/* After a loss, blocks whose frees are lost seem to live. */
void hs_rec_image_count_peak(hs_rec_image_t *image)
{
    if (image->counts.live > image->counts.live_peak && image->counts.lost == 0 && !image->paused) {
        image->counts.live_peak = image->counts.live;
    }
}

static void count_change(hs_rec_image_t *image, uint64_t before, uint64_t after)
{
    image->counts.live += after - before;
    image->counts.live_blocks = image->blocks.count;
    hs_rec_image_count_peak(image);
}

static uint64_t key_of(const hs_rec_image_t *image, const hs_rec_block_t *block)
{
    return image->addresses != 0 ? block->address : block->id;
}

/* Another thread was given memory out of which a realloc is moving its block, or which it is cutting
 * off. By address the block must be gone before: its realloc becomes a free here and an allocation at
 * its end. */
static void split_realloc(hs_rec_image_t *image, uint64_t address, uint64_t size)
{
    for (size_t i = 0; i < image->worker_count; i++) {
        hs_rec_worker_t *worker = &image->workers[i];
        const hs_rec_block_t *block = &worker->moving;
        if (worker->moves == 1 && (address - block->address < block->size + (block->size == 0) ||
                                   block->address - address < size + (size == 0))) {
            worker->moves = 2;
            put_event(image, worker, (hs_event_t){.kind = HS_EVENT_FREE, .key = block->address});
        }
    }
}

/* The address is given to a block of that size: whatever was there has been freed, unseen. */
static void vacate(hs_rec_image_t *image, const hs_rec_worker_t *worker, uint64_t address,
                   uint64_t size)
{
    hs_rec_block_t old;
    if (image->moving != 0 && image->addresses != 0) {
        split_realloc(image, address, size);
    }
    if (hs_rec_blocks_take(&image->blocks, address, &old)) {
        put_event(image, worker, (hs_event_t){.kind = HS_EVENT_FREE, .key = key_of(image, &old)});
        image->counts.implied += image->paused ? 0u : 1u;
        count_change(image, old.size, 0);
    }
}

static void block_appears(hs_rec_image_t *image, const hs_rec_block_t *block, uint64_t before)
{
    keep(image, hs_rec_blocks_put(&image->blocks, block));
    count_change(image, before, block->size);
}

static void take_block(hs_rec_image_t *image, const hs_rec_worker_t *worker, unsigned kind,
                       unsigned align_log2, const hs_rec_event_t *record)
{
    vacate(image, worker, record->a, record->b);
    const hs_rec_block_t block = {record->a, next_id(image), record->b};
    put_event(image, worker,
              (hs_event_t){.kind = (uint8_t)kind,
                           .key = key_of(image, &block),
                           .size = record->b,
                           .site = hs_rec_site_of(image, record->c & UINT32_MAX),
                           .caps = (uint32_t)(record->c >> 32),
                           .align_log2 = (uint8_t)align_log2});
    block_appears(image, &block, 0);
}

static void take_free(hs_rec_image_t *image, const hs_rec_worker_t *worker, uint64_t address)
{
    hs_rec_block_t old = {address, HS_KEY_NONE, 0};
    if (!hs_rec_blocks_take(&image->blocks, address, &old)) {
        count_unknown(image);
        if (image->begun_late != 0) { /* a block from before: the trace never had it */
            return;
        }
    }
    put_event(image, worker, (hs_event_t){.kind = HS_EVENT_FREE, .key = key_of(image, &old)});
    count_change(image, old.size, 0);
}

static void take_failed(hs_rec_image_t *image, const hs_rec_worker_t *worker, unsigned align_log2,
                        const hs_rec_event_t *record)
{
    static const uint8_t calls[] = {[HS_REC_MALLOC] = HS_EVENT_MALLOC,
                                    [HS_REC_CALLOC] = HS_EVENT_CALLOC,
                                    [HS_REC_ALIGNED] = HS_EVENT_ALIGNED};
    if (record->a >= HS_REC_MALLOC && record->a <= HS_REC_ALIGNED) {
        put_event(image, worker,
                  (hs_event_t){.kind = HS_EVENT_FAILED,
                               .new_key = calls[record->a],
                               .size = record->b,
                               .site = hs_rec_site_of(image, record->c & UINT32_MAX),
                               .caps = (uint32_t)(record->c >> 32),
                               .align_log2 = (uint8_t)align_log2});
    }
}

/* The end of the realloc before was dropped: where its block is now nobody knows. */
static void end_unfinished(hs_rec_image_t *image, hs_rec_worker_t *worker)
{
    if (worker->moves == 1) {
        put_event(image, worker,
                  (hs_event_t){.kind = HS_EVENT_FREE, .key = key_of(image, &worker->moving)});
        image->counts.implied += image->paused ? 0u : 1u;
    }
    if (worker->moves != 0) {
        image->moving--;
        count_change(image, worker->moving.size, 0);
    }
}

/* The old address can be given to others from here on, before the block has its new one. */
static void take_realloc_begin(hs_rec_image_t *image, hs_rec_worker_t *worker, uint64_t address)
{
    end_unfinished(image, worker);
    worker->moves = hs_rec_blocks_take(&image->blocks, address, &worker->moving);
    image->moving += worker->moves;
    if (worker->moves == 0) {
        count_unknown(image);
    }
}

/* The realloc gave NULL: glibc's way to free, or a failure that left the block as it was. */
static void take_realloc_null(hs_rec_image_t *image, const hs_rec_worker_t *worker,
                              const hs_rec_event_t *record)
{
    const hs_rec_block_t *block = &worker->moving;
    const uint64_t key = key_of(image, block);
    if (record->b == 0) {
        put_event(image, worker, (hs_event_t){.kind = HS_EVENT_FREE, .key = key});
        count_change(image, block->size, 0);
        return;
    }
    vacate(image, worker, block->address, block->size);
    put_event(image, worker,
              (hs_event_t){.kind = HS_EVENT_FAILED,
                           .key = key,
                           .new_key = HS_EVENT_REALLOC,
                           .size = record->b,
                           .site = hs_rec_site_of(image, record->c & UINT32_MAX),
                           .caps = (uint32_t)(record->c >> 32)});
    block_appears(image, block, block->size);
}

static void take_realloc_end(hs_rec_image_t *image, hs_rec_worker_t *worker,
                             const hs_rec_event_t *record)
{
    const uint32_t moves = worker->moves;
    hs_rec_block_t block = worker->moving;
    worker->moves = 0;
    image->moving -= moves != 0;
    if (moves != 1) { /* of a block that nobody saw, or that the trace has as freed */
        count_change(image, moves == 2 ? block.size : 0, 0);
        if (record->a != 0) {
            take_block(image, worker, HS_EVENT_MALLOC, 0, record);
        }
    } else if (record->a == 0) {
        take_realloc_null(image, worker, record);
    } else {
        vacate(image, worker, record->a, record->b);
        const uint64_t before = block.size, key = key_of(image, &block);
        block.address = record->a;
        block.size = record->b;
        put_event(image, worker,
                  (hs_event_t){.kind = HS_EVENT_REALLOC,
                               .key = key,
                               .new_key = key_of(image, &block),
                               .size = record->b,
                               .site = hs_rec_site_of(image, record->c & UINT32_MAX),
                               .caps = (uint32_t)(record->c >> 32)});
        block_appears(image, &block, before);
    }
}

void hs_rec_image_inherit(hs_rec_image_t *image, const hs_rec_block_t *list, size_t count)
{
    const hs_rec_worker_t heir = {.task = hs_rec_task_of(image, INHERITED, sizeof INHERITED - 1)};
    for (size_t i = 0; i < count; i++) {
        hs_rec_event_t record = {.a = list[i].address, .b = list[i].size};
        take_block(image, &heir, HS_EVENT_MALLOC, 0, &record);
    }
    image->counts.inherited = count;
}

/* ---- what is recorded of pools and points ---- */

static void take_named(hs_rec_image_t *image, hs_rec_worker_t *worker, unsigned kind, unsigned what,
                       const hs_rec_event_t *record)
{
    static const uint8_t pools[] = {[HS_REC_POOL_CREATE] = HS_EVENT_POOL_CREATE,
                                    [HS_REC_POOL_GROW] = HS_EVENT_POOL_GROW,
                                    [HS_REC_POOL_ALLOC] = HS_EVENT_POOL_ALLOC,
                                    [HS_REC_POOL_RELEASE] = HS_EVENT_POOL_RELEASE};
    const bool mark = kind == HS_REC_MARK;
    const size_t length = hs_rec_name_length(worker);
    const uint32_t index =
        hs_rec_name_index(image, mark ? &image->marks : &image->pools,
                          mark ? HS_NAMES_MARK : HS_NAMES_POOL, worker->text, length);
    worker->text_length = 0;
    hs_event_t event = {.kind = HS_EVENT_MARK, .key = index};
    if (!mark) {
        event.kind = pools[what & 3u];
        event.size = record->a;
        event.new_key = record->b;
    }
    put_event(image, worker, event);
}

/* ---- records ---- */

void hs_rec_image_take_record(hs_rec_image_t *image, const hs_rec_event_t *record)
{
    const unsigned kind = record->meta & 31u, align_log2 = record->meta >> 5 & 31u;
    hs_rec_worker_t *worker = hs_rec_worker_get(image, record->meta >> 10);
    if (worker == NULL) {
        keep(image, HS_ERR_MEMORY);
        return;
    }
    switch (kind) {
    case HS_REC_MALLOC:
        take_block(image, worker, HS_EVENT_MALLOC, 0, record);
        break;
    case HS_REC_CALLOC:
        take_block(image, worker, HS_EVENT_CALLOC, 0, record);
        break;
    case HS_REC_ALIGNED:
        take_block(image, worker, HS_EVENT_ALIGNED, align_log2, record);
        break;
    case HS_REC_FREE:
        take_free(image, worker, record->a);
        break;
    case HS_REC_REALLOC_BEGIN:
        take_realloc_begin(image, worker, record->a);
        break;
    case HS_REC_REALLOC_END:
        take_realloc_end(image, worker, record);
        break;
    case HS_REC_FAILED:
        take_failed(image, worker, align_log2, record);
        break;
    case HS_REC_MARK:
    case HS_REC_POOL:
        take_named(image, worker, kind, align_log2, record);
        break;
    case HS_REC_START:
        hs_rec_image_start(image);
        break;
    case HS_REC_STOP:
        hs_rec_image_stop(image);
        break;
    case HS_REC_LOST:
        hs_rec_image_lose(image, record->a);
        break;
    default:
        hs_rec_worker_take(image, worker, kind, align_log2, record);
        break;
    }
}
