/* Sums over a history, by task and site; and single blocks of it. */
#include <stdlib.h>
#include <string.h>

#include "history/history.h"

/* ---- rows by task and site ---------------------------------------------------------------------- */

/* Numbers of rows plus 1, by a hash of task and site; 0: free. At most half of it is used. */
typedef struct hs_index {
    uint32_t *slots;
    size_t size; /* a power of two */
} hs_index_t;

static hs_lab_history_sum_t *row_at(const hs_history_t *history, size_t index)
{
    return (hs_lab_history_sum_t *)(void *)history->sums.bytes + index;
}

static size_t row_count(const hs_history_t *history)
{
    return hs_queue_waiting(&history->sums) / sizeof(hs_lab_history_sum_t);
}

static size_t place_of(const hs_history_t *history, const hs_index_t *index, uint32_t task,
                       uint32_t site)
{
    const uint64_t mixed = ((uint64_t)task << 32 | site) * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(mixed >> 32) & (index->size - 1);
    while (index->slots[at] != 0) {
        const hs_lab_history_sum_t *row = row_at(history, index->slots[at] - 1);
        if (row->task == task && row->site == site) {
            break;
        }
        at = (at + 1) & (index->size - 1);
    }
    return at;
}

static bool grow(const hs_history_t *history, hs_index_t *index)
{
    const hs_index_t wider = {calloc(index->size * 2, sizeof *index->slots), index->size * 2};
    if (wider.slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < row_count(history); i++) {
        const hs_lab_history_sum_t *row = row_at(history, i);
        wider.slots[place_of(history, &wider, row->task, row->site)] = (uint32_t)i + 1;
    }
    free(index->slots);
    *index = wider;
    return true;
}

/* The row of a task and a site; NULL: no host memory. */
static hs_lab_history_sum_t *row_of(hs_history_t *history, hs_index_t *index, uint32_t task,
                                    uint32_t site)
{
    size_t at = place_of(history, index, task, site);
    if (index->slots[at] != 0) {
        return row_at(history, index->slots[at] - 1);
    }
    const hs_lab_history_sum_t empty = {.task = task, .site = site};
    if (row_count(history) * 2 >= index->size) {
        if (!grow(history, index)) {
            return NULL;
        }
        at = place_of(history, index, task, site);
    }
    if (hs_queue_put(&history->sums, &empty, sizeof empty) != HS_OK) {
        return NULL;
    }
    index->slots[at] = (uint32_t)row_count(history);
    return row_at(history, row_count(history) - 1);
}

static bool begin_sums(hs_history_t *history, hs_index_t *index)
{
    hs_queue_free(&history->sums);
    index->size = 256;
    index->slots = calloc(index->size, sizeof *index->slots);
    return index->slots != NULL;
}

/* ---- questions ---------------------------------------------------------------------------------- */

static bool sum_failures(hs_history_t *history, hs_index_t *index, double left, double right)
{
    for (size_t i = 0; i < hs_history_failed(history); i++) {
        const hs_history_failure_t *failure = hs_history_failure(history, i);
        if (!failure->passes || failure->event < left || failure->event >= right) {
            continue;
        }
        hs_lab_history_sum_t *row = row_of(history, index, failure->task, failure->site);
        if (row == NULL) {
            return false;
        }
        row->blocks++;
        row->bytes += (int64_t)failure->size;
    }
    return true;
}

static bool within(const hs_lab_view_t *view, const hs_history_chunk_t *chunk, uint32_t i)
{
    const uint64_t low = (uint64_t)chunk->address[i] * HS_LAB_HISTORY_PARTS;
    const uint64_t high = low + (uint64_t)chunk->size[i] * HS_LAB_HISTORY_PARTS;
    for (size_t s = 0; s < view->strip_count; s++) {
        const hs_lab_strip_t *strip = &view->strips[s];
        if (strip->region == chunk->region[i] && low < strip->high && high > strip->low) {
            return true;
        }
    }
    return false;
}

static bool sum_range(hs_history_t *history, hs_index_t *index, const hs_lab_view_t *view)
{
    const double right = (double)view->right / HS_LAB_HISTORY_PARTS;
    const uint32_t last = hs_history_from(history, right);
    uint32_t block = hs_history_from(history, (double)view->left / HS_LAB_HISTORY_PARTS);
    for (; block < last; block++) {
        const hs_history_chunk_t *chunk = history->chunks[block / HS_HISTORY_CHUNK];
        const uint32_t i = block % HS_HISTORY_CHUNK;
        if (!chunk->passes[i] || !within(view, chunk, i)) {
            continue;
        }
        hs_lab_history_sum_t *row = row_of(history, index, chunk->task[i], chunk->site[i]);
        if (row == NULL) {
            return false;
        }
        row->blocks++;
        row->bytes += chunk->size[i];
        if (chunk->died[i] >= right) {
            row->stayed++;
            row->stayed_bytes += chunk->size[i];
        }
    }
    return true;
}

hs_status_t hs_history_range(hs_history_t *history, const hs_lab_view_t *view)
{
    hs_index_t index;
    bool ok = begin_sums(history, &index);
    if (ok && history->failed) {
        ok = sum_failures(history, &index, (double)view->left / HS_LAB_HISTORY_PARTS,
                          (double)view->right / HS_LAB_HISTORY_PARTS);
    } else if (ok) {
        ok = sum_range(history, &index, view);
    }
    free(index.slots);
    return ok ? HS_OK : HS_ERR_MEMORY;
}

/* Blocks that are live after both events, or after none, change nothing. */
static bool sum_difference(hs_history_t *history, hs_index_t *index, uint64_t first,
                           uint64_t second)
{
    const uint64_t later = first > second ? first : second;
    const uint32_t last = hs_history_from(history, (double)later + 1);
    for (uint32_t block = 0; block < last; block++) {
        const hs_history_chunk_t *chunk = history->chunks[block / HS_HISTORY_CHUNK];
        const uint32_t i = block % HS_HISTORY_CHUNK;
        const bool then = chunk->born[i] <= first && chunk->died[i] > first;
        const bool now = chunk->born[i] <= second && chunk->died[i] > second;
        if (then == now || !chunk->passes[i]) {
            continue;
        }
        hs_lab_history_sum_t *row = row_of(history, index, chunk->task[i], chunk->site[i]);
        if (row == NULL) {
            return false;
        }
        row->blocks += now ? 1 : -1;
        row->bytes += now ? (int64_t)chunk->size[i] : -(int64_t)chunk->size[i];
    }
    return true;
}

hs_status_t hs_history_difference(hs_history_t *history, uint64_t first, uint64_t second)
{
    hs_index_t index;
    bool ok = begin_sums(history, &index);
    if (ok && history->failed) {
        const double low = (double)(first < second ? first : second) + 1;
        ok = sum_failures(history, &index, low, (double)(first < second ? second : first) + 1);
    } else if (ok) {
        ok = sum_difference(history, &index, first, second);
    }
    free(index.slots);
    return ok ? HS_OK : HS_ERR_MEMORY;
}

/* ---- single blocks ------------------------------------------------------------------------------ */

static void tell(const hs_history_t *history, uint32_t block, hs_lab_life_t *out)
{
    const hs_history_chunk_t *chunk = history->chunks[block / HS_HISTORY_CHUNK];
    const uint32_t i = block % HS_HISTORY_CHUNK;
    const bool live = chunk->died[i] == HS_HISTORY_LIVE;
    const hs_lab_life_t life = {.born = chunk->born[i],
                                .died = live ? HS_LAB_NEVER : chunk->died[i],
                                .born_time = hs_history_time(history, chunk->born[i]),
                                .died_time = live ? 0 : hs_history_time(history, chunk->died[i]),
                                .block = block,
                                .address = chunk->address[i],
                                .size = chunk->size[i],
                                .task = chunk->task[i],
                                .site = chunk->site[i],
                                .region = chunk->region[i]};
    *out = life;
}

void hs_history_pick(const hs_history_t *history, uint64_t event, uint32_t region, uint32_t address,
                     hs_lab_life_t rows[3])
{
    memset(rows, 0, 3 * sizeof *rows);
    rows[0].block = rows[1].block = rows[2].block = UINT32_MAX;
    for (uint32_t block = hs_history_from(history, (double)event + 1); block-- > 0;) {
        const hs_history_chunk_t *chunk = history->chunks[block / HS_HISTORY_CHUNK];
        const uint32_t i = block % HS_HISTORY_CHUNK;
        if (chunk->died[i] > event && chunk->region[i] == region && chunk->address[i] <= address &&
            address - chunk->address[i] < chunk->size[i]) {
            tell(history, block, &rows[0]);
            break;
        }
    }
    if (rows[0].block == UINT32_MAX) {
        return;
    }
    for (uint32_t block = hs_history_from(history, (double)rows[0].born + 1); block-- > 0;) {
        const hs_history_chunk_t *chunk = history->chunks[block / HS_HISTORY_CHUNK];
        const uint32_t i = block % HS_HISTORY_CHUNK;
        if (chunk->died[i] <= rows[0].born || chunk->region[i] != region ||
            block == rows[0].block) {
            continue;
        }
        const bool below = chunk->address[i] < rows[0].address;
        hs_lab_life_t *near = below ? &rows[1] : &rows[2];
        if (near->block == UINT32_MAX || (near->address < chunk->address[i]) == below) {
            tell(history, block, near);
        }
    }
}
