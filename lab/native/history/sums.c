/* Sums over a history, by task and site; and single blocks of it. */
#include <stdlib.h>
#include <string.h>

#include "history/history.h"

/* ---- rows by task and site ---------------------------------------------------------------------- */

/* A row a holder, by its number; NULL: no host memory. */
static hs_lab_history_sum_t *begin_sums(const hs_history_t *history)
{
    return calloc((size_t)hs_history_holders(history) + 1, sizeof(hs_lab_history_sum_t));
}

/* Keeps the rows that have something, and frees them all. */
static hs_status_t keep_sums(hs_history_t *history, hs_lab_history_sum_t *rows)
{
    hs_status_t status = rows == NULL ? HS_ERR_MEMORY : HS_OK;
    hs_queue_free(&history->sums);
    for (uint32_t i = 0; status == HS_OK && i < hs_history_holders(history); i++) {
        if (rows[i].blocks != 0 || rows[i].bytes != 0) {
            rows[i].task = hs_history_holder_at(history, i)->task;
            rows[i].site = hs_history_holder_at(history, i)->site;
            status = hs_queue_put(&history->sums, &rows[i], sizeof rows[i]);
        }
    }
    free(rows);
    return status;
}

/* ---- questions ---------------------------------------------------------------------------------- */

static hs_status_t sum_failures(hs_history_t *history, double left, double right)
{
    for (size_t i = 0; i < hs_history_failed(history); i++) { /* its holder may have no block */
        const hs_history_failure_t *failure = hs_history_failure(history, i);
        if (hs_history_holder(history, failure->task, failure->site) == UINT32_MAX) {
            return HS_ERR_MEMORY;
        }
    }
    hs_lab_history_sum_t *rows = begin_sums(history);
    for (size_t i = 0; rows != NULL && i < hs_history_failed(history); i++) {
        const hs_history_failure_t *failure = hs_history_failure(history, i);
        if (failure->passes && failure->event >= left && failure->event < right) {
            hs_lab_history_sum_t *row =
                &rows[hs_history_holder(history, failure->task, failure->site)];
            row->blocks++;
            row->bytes += (int64_t)failure->size;
        }
    }
    return keep_sums(history, rows);
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

static hs_status_t sum_range(hs_history_t *history, const hs_lab_view_t *view)
{
    const double right = (double)view->right / HS_LAB_HISTORY_PARTS;
    const uint32_t last = hs_history_from(history, right);
    uint32_t block = hs_history_from(history, (double)view->left / HS_LAB_HISTORY_PARTS);
    hs_lab_history_sum_t *rows = begin_sums(history);
    for (; rows != NULL && block < last; block++) {
        const hs_history_chunk_t *chunk = history->chunks[block / HS_HISTORY_CHUNK];
        const uint32_t i = block % HS_HISTORY_CHUNK;
        if (within(view, chunk, i) && hs_history_passes(history, chunk, i)) {
            hs_lab_history_sum_t *row = &rows[chunk->holder[i]];
            const bool stays = chunk->died[i] >= right;
            row->blocks++;
            row->bytes += chunk->size[i];
            row->stayed += stays;
            row->stayed_bytes += stays ? chunk->size[i] : 0;
        }
    }
    return keep_sums(history, rows);
}

hs_status_t hs_history_range(hs_history_t *history, const hs_lab_view_t *view)
{
    return history->sieve.filter.failed
               ? sum_failures(history, (double)view->left / HS_LAB_HISTORY_PARTS,
                              (double)view->right / HS_LAB_HISTORY_PARTS)
               : sum_range(history, view);
}

/* Blocks that are live after both events, or after none, change nothing. */
static hs_status_t sum_difference(hs_history_t *history, uint64_t first, uint64_t second)
{
    const uint64_t later = first > second ? first : second;
    const uint64_t sooner = first > second ? second : first;
    const uint32_t over = sooner < HS_HISTORY_LIVE ? (uint32_t)sooner : HS_HISTORY_LIVE - 1u;
    const uint32_t last = hs_history_from(history, (double)later + 1);
    hs_lab_history_sum_t *rows = begin_sums(history);
    for (uint32_t block = hs_history_seek(history, 0, over); rows != NULL && block < last;
         block = hs_history_seek(history, block + 1, over)) {
        const hs_history_chunk_t *chunk = history->chunks[block / HS_HISTORY_CHUNK];
        const uint32_t i = block % HS_HISTORY_CHUNK;
        const bool then = chunk->born[i] <= first && chunk->died[i] > first;
        const bool now = chunk->born[i] <= second && chunk->died[i] > second;
        if (then != now && hs_history_passes(history, chunk, i)) {
            hs_lab_history_sum_t *row = &rows[chunk->holder[i]];
            row->blocks += now ? 1 : -1;
            row->bytes += now ? (int64_t)chunk->size[i] : -(int64_t)chunk->size[i];
        }
    }
    return keep_sums(history, rows);
}

hs_status_t hs_history_difference(hs_history_t *history, uint64_t first, uint64_t second)
{
    if (history->sieve.filter.failed) {
        const double low = (double)(first < second ? first : second) + 1;
        return sum_failures(history, low, (double)(first < second ? second : first) + 1);
    }
    return sum_difference(history, first, second);
}

/* ---- single blocks ------------------------------------------------------------------------------ */

static void tell(const hs_history_t *history, uint32_t block, hs_lab_life_t *out)
{
    const hs_history_chunk_t *chunk = history->chunks[block / HS_HISTORY_CHUNK];
    const uint32_t i = block % HS_HISTORY_CHUNK;
    const bool live = chunk->died[i] == HS_HISTORY_LIVE;
    const hs_history_holder_t *holder = hs_history_holder_at(history, chunk->holder[i]);
    const hs_lab_life_t life = {.born = chunk->born[i],
                                .died = live ? HS_LAB_NEVER : chunk->died[i],
                                .born_time = hs_history_time(history, chunk->born[i]),
                                .died_time = live ? 0 : hs_history_time(history, chunk->died[i]),
                                .block = block,
                                .address = chunk->address[i],
                                .size = chunk->size[i],
                                .task = holder->task,
                                .site = holder->site,
                                .region = chunk->region[i]};
    *out = life;
}

static void tell_near(const hs_history_t *history, uint32_t of, hs_lab_life_t rows[3])
{
    const uint32_t born = (uint32_t)rows[0].born;
    for (uint32_t block =
             hs_history_seek_back(history, hs_history_from(history, (double)born + 1), born);
         block != UINT32_MAX; block = hs_history_seek_back(history, block, born)) {
        const hs_history_chunk_t *chunk = history->chunks[block / HS_HISTORY_CHUNK];
        const uint32_t i = block % HS_HISTORY_CHUNK;
        if (chunk->died[i] <= born || chunk->region[i] != rows[0].region || block == of) {
            continue;
        }
        const bool below = chunk->address[i] < rows[0].address;
        hs_lab_life_t *near = below ? &rows[1] : &rows[2];
        if (near->block == UINT32_MAX || (near->address < chunk->address[i]) == below) {
            tell(history, block, near);
        }
    }
}

void hs_history_pick(const hs_history_t *history, uint64_t event, uint32_t region, uint32_t address,
                     hs_lab_life_t rows[3])
{
    memset(rows, 0, 3 * sizeof *rows);
    rows[0].block = rows[1].block = rows[2].block = UINT32_MAX;
    const uint32_t at = event < HS_HISTORY_LIVE ? (uint32_t)event : HS_HISTORY_LIVE - 1u;
    for (uint32_t block =
             hs_history_seek_back(history, hs_history_from(history, (double)at + 1), at);
         block != UINT32_MAX; block = hs_history_seek_back(history, block, at)) {
        const hs_history_chunk_t *chunk = history->chunks[block / HS_HISTORY_CHUNK];
        const uint32_t i = block % HS_HISTORY_CHUNK;
        if (chunk->died[i] > at && chunk->region[i] == region && chunk->address[i] <= address &&
            address - chunk->address[i] < chunk->size[i]) {
            tell(history, block, &rows[0]);
            tell_near(history, block, rows);
            return;
        }
    }
}
