/* The blocks and the failed requests that pass the filters of a page. */
#include <stdlib.h>
#include <string.h>

#include "history/history.h"

static int by_value(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

/* The filter, with its holders in order. */
typedef struct hs_sieve {
    const hs_lab_filter_t *filter;
    uint64_t *holders;
    uint32_t events;
} hs_sieve_t;

static bool asked_by(const hs_lab_filter_t *filter, uint64_t size, uint32_t task, uint32_t site)
{
    return (filter->task == UINT32_MAX || filter->task == task) && size >= filter->size_min &&
           size <= filter->size_max &&
           (filter->by_site == 0 || (site < filter->site_count && filter->sites[site] != 0));
}

static bool passes(const hs_sieve_t *sieve, const hs_history_chunk_t *chunk, uint32_t i)
{
    const hs_lab_filter_t *filter = sieve->filter;
    const uint32_t died = chunk->died[i], end = died < sieve->events ? died : sieve->events;
    if (chunk->region[i] == HS_HISTORY_NOWHERE ||
        (filter->region != UINT32_MAX && filter->region != chunk->region[i]) ||
        end - chunk->born[i] < filter->age ||
        ((filter->stays || filter->by_holder) && died != HS_HISTORY_LIVE) ||
        !asked_by(filter, chunk->size[i], chunk->task[i], chunk->site[i])) {
        return false;
    }
    const uint64_t holder = (uint64_t)chunk->task[i] << 32 | chunk->site[i];
    return !filter->by_holder ||
           bsearch(&holder, sieve->holders, filter->holder_count, sizeof holder, by_value) != NULL;
}

hs_status_t hs_history_filter(hs_history_t *history, const hs_lab_filter_t *filter)
{
    hs_sieve_t sieve = {filter, NULL, history->events};
    const size_t bytes = filter->holder_count * sizeof *sieve.holders;
    sieve.holders = malloc(bytes + 1);
    if (sieve.holders == NULL) {
        return HS_ERR_MEMORY;
    }
    if (bytes != 0) {
        memcpy(sieve.holders, filter->holders, bytes);
        qsort(sieve.holders, filter->holder_count, sizeof *sieve.holders, by_value);
    }
    history->failed = filter->failed != 0;
    for (uint32_t from = 0; from < history->blocks; from += HS_HISTORY_CHUNK) {
        hs_history_chunk_t *chunk = history->chunks[from / HS_HISTORY_CHUNK];
        const uint32_t left = history->blocks - from;
        for (uint32_t i = 0; i < (left < HS_HISTORY_CHUNK ? left : HS_HISTORY_CHUNK); i++) {
            chunk->passes[i] = passes(&sieve, chunk, i);
        }
    }
    for (size_t i = 0; i < hs_history_failed(history); i++) {
        hs_history_failure_t *failure = hs_history_failure(history, i);
        failure->passes = asked_by(filter, failure->size, failure->task, failure->site);
    }
    free(sieve.holders);
    return HS_OK;
}
