/* The blocks and the failed requests that pass the filters of a page. */
#include <stdlib.h>
#include <string.h>

#include "history/history.h"

static int by_value(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

static bool matches_owner(const hs_lab_filter_t *filter, uint32_t task, uint32_t site)
{
    return (filter->task == UINT32_MAX || filter->task == task) &&
           (filter->by_site == 0 || (site < filter->site_count && filter->sites[site] != 0));
}

bool hs_history_admits(const hs_history_sieve_t *sieve, uint32_t task, uint32_t site)
{
    if (!sieve->set) {
        return true;
    }
    const uint64_t holder = (uint64_t)task << 32 | site;
    return matches_owner(&sieve->filter, task, site) &&
           (sieve->filter.by_holder == 0 ||
            bsearch(&holder, sieve->holders, sieve->filter.holder_count, sizeof holder, by_value) !=
                NULL);
}

bool hs_history_admits_failure(const hs_history_sieve_t *sieve, const hs_history_failure_t *failure)
{
    const hs_lab_filter_t *filter = &sieve->filter;
    return !sieve->set || (matches_owner(filter, failure->task, failure->site) &&
                           failure->size >= filter->size_min && failure->size <= filter->size_max);
}

/* The filter with copies of its lists. */
static bool copied(const hs_lab_filter_t *filter, hs_history_sieve_t *sieve)
{
    *sieve = (hs_history_sieve_t){.set = true, .filter = *filter};
    sieve->sites = malloc(filter->site_count + 1);
    sieve->holders = malloc((filter->holder_count + 1) * sizeof *sieve->holders);
    if (sieve->sites == NULL || sieve->holders == NULL) {
        free(sieve->sites);
        free(sieve->holders);
        return false;
    }
    if (filter->site_count != 0) {
        memcpy(sieve->sites, filter->sites, filter->site_count);
    }
    if (filter->holder_count != 0) {
        memcpy(sieve->holders, filter->holders, filter->holder_count * sizeof *sieve->holders);
        qsort(sieve->holders, filter->holder_count, sizeof *sieve->holders, by_value);
    }
    sieve->filter.sites = sieve->sites;
    sieve->filter.holders = sieve->holders;
    return true;
}

hs_status_t hs_history_filter(hs_history_t *history, const hs_lab_filter_t *filter)
{
    hs_history_sieve_t sieve;
    if (!copied(filter, &sieve)) {
        return HS_ERR_MEMORY;
    }
    free(history->sieve.sites);
    free(history->sieve.holders);
    history->sieve = sieve;
    for (uint32_t i = 0; i < hs_history_holders(history); i++) {
        hs_history_holder_t *holder = hs_history_holder_at(history, i);
        holder->passes = hs_history_admits(&sieve, holder->task, holder->site);
    }
    for (size_t i = 0; i < hs_history_failed(history); i++) {
        hs_history_failure_t *failure = hs_history_failure(history, i);
        failure->passes = hs_history_admits_failure(&sieve, failure);
    }
    return HS_OK;
}
