/* A trace into steps: all that does not depend on the heap is settled here, once. */
#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "fit/fit.h"

#define CAP_INVALID UINT32_C(0x80000000) /* the one capability that a pool does not have */

hs_status_t hs_fit_init(hs_fit_t *fit, uint32_t base)
{
    memset(fit, 0, sizeof *fit);
    fit->base = base;
    fit->only = HS_FIT_ALL_TASKS;
    return hs_blocks_init(&fit->blocks) ? HS_OK : HS_ERR_MEMORY;
}

hs_status_t hs_fit_ends(hs_fit_t *fit, const hs_lab_config_t *config)
{
    hs_placement_free(&fit->rules);
    return hs_placement_init(&fit->rules, config);
}

void hs_fit_free(hs_fit_t *fit)
{
    for (size_t i = 0; i < fit->chunk_count; i++) {
        free(fit->chunks[i]);
    }
    free(fit->chunks);
    hs_blocks_free(&fit->blocks);
    hs_placement_free(&fit->rules);
    memset(fit, 0, sizeof *fit);
}

/* ---- steps ------------------------------------------------------------------------------------ */

static bool add_chunk(hs_fit_t *fit)
{
    if (fit->chunk_count == fit->chunk_capacity) {
        const size_t grown = fit->chunk_capacity * 2 + 16;
        hs_fit_step_t **moved = realloc(fit->chunks, grown * sizeof *moved);
        if (moved == NULL) {
            return false;
        }
        fit->chunks = moved;
        fit->chunk_capacity = grown;
    }
    hs_fit_step_t *chunk = malloc(HS_FIT_CHUNK * sizeof *chunk);
    if (chunk == NULL) {
        return false;
    }
    fit->chunks[fit->chunk_count++] = chunk;
    return true;
}

static hs_status_t add(hs_fit_t *fit, uint64_t slot, uint32_t size, uint32_t what)
{
    const size_t at = (size_t)(fit->steps % HS_FIT_CHUNK);
    if (at == 0 && !add_chunk(fit)) {
        return HS_ERR_MEMORY;
    }
    fit->chunks[fit->chunk_count - 1][at] = (hs_fit_step_t){(uint32_t)slot, size, what};
    fit->steps++;
    return HS_OK;
}

static hs_status_t skip(hs_fit_t *fit)
{
    return add(fit, 0, 0, HS_FIT_SKIP);
}

static uint64_t slot_of(const hs_fit_t *fit, const hs_block_t *block)
{
    return (uint64_t)(block - fit->blocks.records);
}

/* The slot of a request's block, with the end that it takes. */
static uint64_t slot_for(const hs_fit_t *fit, const hs_event_t *event, const hs_block_t *block)
{
    const bool high = event->size <= UINT32_MAX &&
                      hs_placement_is_high(&fit->rules, event, (uint32_t)event->size);
    return slot_of(fit, block) | (high ? HS_FIT_HIGH : 0);
}

/* The kind, the task and what the event's request needs to be asked right. */
static uint32_t describe(hs_fit_t *fit, const hs_event_t *event, unsigned kind)
{
    uint32_t what = kind | event->task << HS_FIT_TASK_SHIFT;
    if (kind == HS_EVENT_ALIGNED) {
        what |= (event->align_log2 & 31u) << HS_FIT_ALIGN_SHIFT;
    }
    if (event->size > UINT32_MAX) {
        fit->huge_at = fit->huge == 0 ? fit->steps : fit->huge_at;
        fit->huge = fit->huge == 0 ? event->size : fit->huge;
        what |= HS_FIT_NEVER;
    }
    return what | ((event->caps & CAP_INVALID) ? HS_FIT_NEVER : 0);
}

/* Capabilities change an allocation so (hs_chip_allocate on a pool that has all). */
static uint32_t describe_allocation(hs_fit_t *fit, const hs_event_t *event)
{
    const bool code = (event->caps & HS_CAP_EXEC) != 0;
    fit->aligned |= event->kind == HS_EVENT_ALIGNED;
    uint32_t what = describe(fit, event, event->kind);
    if (code && (event->caps & (HS_CAP_8BIT | HS_CAP_DMA))) {
        what |= HS_FIT_NEVER;
    }
    if (code || (event->caps & HS_CAP_32BIT)) {
        what |= HS_FIT_WORDS;
    }
    return event->kind == HS_EVENT_ALIGNED ? what | HS_FIT_ALIGNED : what;
}

static uint32_t low_bits(uint64_t size)
{
    return size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
}

/* ---- what every heap has to hold -------------------------------------------------------------- */

/* Blocks of aligned allocation count nothing: one allocator never reallocs them, and one gives them
 * fewer bytes than were asked for. */
static void hold(hs_fit_t *fit, hs_block_t *block, uint64_t bytes)
{
    fit->requested += low_bits(bytes) - (uint64_t)block->requested;
    fit->requested_peak =
        fit->requested > fit->requested_peak ? fit->requested : fit->requested_peak;
    block->requested = low_bits(bytes);
    const uint64_t sure = block->place.aligned || bytes > UINT32_MAX ? 0 : bytes;
    fit->held += sure - block->recorded;
    block->recorded = sure;
    fit->floor = fit->held > fit->floor ? fit->held : fit->floor;
}

/* ---- events ----------------------------------------------------------------------------------- */

/* Marks a malloc or calloc whose block the step that comes next frees again. */
static void mark_undone(hs_fit_t *fit, uint64_t slot)
{
    const size_t at = (size_t)(fit->steps % HS_FIT_CHUNK);
    hs_fit_step_t *last = at == 0 ? NULL : &fit->chunks[fit->chunk_count - 1][at - 1];
    if (last != NULL && (last->slot & ~HS_FIT_HIGH) == slot &&
        (last->what & HS_FIT_KIND) - HS_EVENT_MALLOC <= HS_EVENT_CALLOC - HS_EVENT_MALLOC) {
        last->what |= HS_FIT_UNDONE;
    }
}

/* The step that frees a block, if it is on the heap; `kind` has its flags. */
static hs_status_t let_go(hs_fit_t *fit, hs_block_t *block, uint32_t what)
{
    hold(fit, block, 0);
    if (block->flags & HS_BLOCK_NOWHERE) {
        return what & HS_FIT_EXTRA ? HS_OK : skip(fit);
    }
    what |= block->place.aligned ? HS_FIT_ALIGNED : 0;
    mark_undone(fit, slot_of(fit, block));
    return add(fit, slot_of(fit, block), 0, what);
}

/* A key that comes again while its block is live stands for a free that is not in the trace. */
static hs_status_t drop_reused(hs_fit_t *fit, const hs_event_t *event, uint64_t key)
{
    hs_block_t *block = hs_blocks_take(&fit->blocks, key);
    const uint32_t what = HS_EVENT_FREE | HS_FIT_EXTRA | event->task << HS_FIT_TASK_SHIFT;
    return block == NULL ? HS_OK : let_go(fit, block, what);
}

static hs_status_t on_allocation(hs_fit_t *fit, const hs_event_t *event)
{
    const hs_status_t status = drop_reused(fit, event, event->key);
    if (status == HS_OK && fit->only != HS_FIT_ALL_TASKS && event->task != fit->only) {
        return skip(fit); /* what is done with its block later is of none that is known */
    }
    hs_block_t *block = status == HS_OK ? hs_blocks_insert(&fit->blocks, event->key) : NULL;
    if (block == NULL) {
        return HS_ERR_MEMORY;
    }
    block->place.aligned = event->kind == HS_EVENT_ALIGNED;
    if (event->size == 0) {
        block->flags |= HS_BLOCK_NOWHERE;
        return skip(fit);
    }
    hold(fit, block, event->size);
    return add(fit, slot_for(fit, event, block), low_bits(event->size),
               describe_allocation(fit, event));
}

static hs_status_t on_free(hs_fit_t *fit, const hs_event_t *event)
{
    hs_block_t *block = hs_blocks_take(&fit->blocks, event->key);
    const uint32_t what = HS_EVENT_FREE | event->task << HS_FIT_TASK_SHIFT;
    return block == NULL ? skip(fit) : let_go(fit, block, what);
}

/* Files a block under its new key; it keeps its record and with it its slot, since the record that
 * was given back last is the next one handed out. */
static hs_status_t rename_block(hs_fit_t *fit, hs_block_t **block, const hs_event_t *event)
{
    if (event->new_key == event->key) {
        return HS_OK;
    }
    const hs_status_t status = drop_reused(fit, event, event->new_key);
    const hs_block_t copy = **block;
    hs_blocks_take(&fit->blocks, event->key);
    *block = hs_blocks_insert(&fit->blocks, event->new_key);
    if (*block == NULL || status != HS_OK) {
        return HS_ERR_MEMORY;
    }
    **block = copy;
    (*block)->key = event->new_key;
    return HS_OK;
}

static hs_status_t on_realloc(hs_fit_t *fit, const hs_event_t *event)
{
    hs_block_t *block = hs_blocks_find(&fit->blocks, event->key);
    if (block == NULL) {
        return skip(fit);
    }
    if (event->size == 0) {
        return on_free(fit, event);
    }
    const hs_status_t status = rename_block(fit, &block, event);
    if (status != HS_OK) {
        return status;
    }
    if (block->flags & HS_BLOCK_NOWHERE) {
        return skip(fit);
    }
    hold(fit, block, event->size);
    const uint32_t aligned = block->place.aligned ? HS_FIT_ALIGNED : 0;
    return add(fit, slot_for(fit, event, block), low_bits(event->size),
               describe(fit, event, HS_EVENT_REALLOC) | aligned);
}

static hs_status_t on_event(hs_fit_t *fit, const hs_event_t *event)
{
    if (event->kind <= HS_EVENT_ALIGNED) {
        return on_allocation(fit, event);
    }
    if (event->kind == HS_EVENT_FREE) {
        return on_free(fit, event);
    }
    return event->kind == HS_EVENT_REALLOC ? on_realloc(fit, event) : skip(fit);
}

hs_status_t hs_fit_events(hs_fit_t *fit, const hs_event_t *events, size_t count)
{
    hs_status_t status = HS_OK;
    for (size_t i = 0; i < count && status == HS_OK; i++) {
        if (HS_EVENT_IS_HEAP(events[i].kind)) {
            status = on_event(fit, &events[i]);
        }
    }
    return status;
}
