#include "fit/bound.h"

#include <stdlib.h>
#include <string.h>

#define WORD 4u
#define SLACK                                                                                      \
    320u /* bytes of holes above the least that may make a block larger: a rest, a slab of slots */
#define BIN_GRANULE 16u /* bytes, at most, of a heap whose search goes by bins */
#define HEAP_MOST (UINT32_C(1) << 28)
#define SAMPLE 4096u /* bytes of a heap that shows its headers */

/* ---- one size, on new heaps --------------------------------------------------------------------- */

/* The payload of the only free block of a new heap; 0: there is no such heap, or it does not serve `request`. */
static uint32_t hole_of(hs_allocator_t allocator, uint32_t base, uint32_t size, uint32_t request)
{
    hs_sim_t *heap = hs_sim_new(allocator, base, size, NULL);
    const bool serves = heap != NULL && hs_sim_fits(heap, 0, request, 0);
    const uint32_t hole = serves ? hs_sim_largest_free(heap) : 0;
    hs_sim_delete(heap);
    return hole;
}

/* The bytes of the block that is cut out of the hole of a new heap, header included. */
static uint32_t taken_of(hs_allocator_t allocator, uint32_t base, uint32_t size, uint32_t request,
                         uint32_t header)
{
    hs_sim_t *heap = hs_sim_new(allocator, base, size, NULL);
    uint32_t taken = 0;
    if (heap != NULL) {
        const uint32_t before = hs_sim_largest_free(heap);
        if (hs_sim_malloc(heap, request) != HS_NONE) {
            const uint32_t after = hs_sim_largest_free(heap);
            taken = after != 0 ? before - after : before + header;
        }
    }
    hs_sim_delete(heap);
    return taken;
}

/* Bytes of a free block beyond its payload. */
static uint32_t header_of(hs_allocator_t allocator, uint32_t base)
{
    uint32_t headers[2] = {0, 0}; /* of one free block; of two, and a used one between */
    uint32_t size = SAMPLE;
    while (size < HEAP_MOST && hole_of(allocator, base, size, SAMPLE / 8) == 0) {
        size *= 2;
    }
    hs_sim_t *heap = hs_sim_new(allocator, base, size, NULL);
    if (heap == NULL) {
        return 0;
    }
    uint32_t used = 0;
    for (int which = 0; which < 2; which++) {
        const hs_tally_t *tally = &heap->tally;
        headers[which] = heap->size - tally->control - tally->used - tally->free;
        if (which == 0) {
            const uint32_t low = hs_sim_malloc(heap, SAMPLE / 64);
            const uint32_t high = hs_sim_malloc(heap, SAMPLE / 64);
            const uint32_t both = heap->size - tally->control - tally->used - tally->free;
            used = (both - headers[0]) / 2;
            (void)high;
            hs_sim_free(heap, low, false);
        }
    }
    hs_sim_delete(heap);
    const uint32_t more = headers[1] - headers[0];
    return more > used ? more - used : 0;
}

uint64_t hs_bound_bytes(hs_allocator_t allocator, uint32_t base, uint32_t size)
{
    const uint64_t hole = hole_of(allocator, base, size, 1);
    return hole == 0 ? 0 : hole + header_of(allocator, base);
}

hs_status_t hs_bound_size(hs_allocator_t allocator, uint32_t base, uint32_t request,
                          hs_sized_t *out)
{
    const uint32_t header = header_of(allocator, base);
    uint32_t high = SAMPLE, low = 0;
    while (high < HEAP_MOST && hole_of(allocator, base, high, request) == 0) {
        low = high;
        high *= 2;
    }
    while (high - low > WORD) {
        const uint32_t middle = (low + high) / 2 / WORD * WORD;
        *(hole_of(allocator, base, middle, request) != 0 ? &high : &low) = middle;
    }
    const uint32_t hole = hole_of(allocator, base, high, request);
    *out = (hs_sized_t){.request = request};
    if (hole == 0) {
        return HS_ERR_MEMORY;
    }
    for (uint32_t size = high; size <= high + SLACK; size += WORD) {
        const uint32_t taken = taken_of(allocator, base, size, request, header);
        out->taken = taken > out->taken ? taken : out->taken;
    }
    out->gap = hole + header - allocator.model->granule;
    if (allocator.model->search == HS_SEARCH_BINS) {
        out->gap += (hole + header) / 4 + BIN_GRANULE;
    }
    return HS_OK;
}

/* ---- the bound ------------------------------------------------------------------------------------ */

/* Bytes above the blocks of smaller classes within which a request of `size` is surely served, and its block
 * ends, where the smallest block there is one of `least`. */
static uint64_t stratum(const hs_sized_t *size, const hs_sized_t *least, uint64_t live)
{
    const uint64_t others = live - size->taken;    /* what else is live */
    const uint64_t more = size->gap + (uint64_t)1; /* the hole that serves it */
    return others + others / least->taken * size->gap + (size->taken > more ? size->taken : more);
}

uint64_t hs_bound_of(const hs_sized_t *sizes, uint32_t count, uint64_t live, bool lowest,
                     uint32_t *strata)
{
    uint64_t *best = malloc((count + 1) * sizeof *best);
    uint32_t *cuts = malloc((count + 1) * sizeof *cuts);
    if (best == NULL || cuts == NULL) {
        free(best);
        free(cuts);
        return 0;
    }
    memset(best, 0xFF, (count + 1) * sizeof *best);
    best[0] = 0;
    for (uint32_t first = 0; first < count && (lowest || first == 0); first++) {
        uint64_t height = 0;
        for (uint32_t last = first; last < count; last++) {
            const uint64_t own = stratum(&sizes[last], &sizes[first], live);
            height = own > height ? own : height;
            if (best[first] + height < best[last + 1]) {
                best[last + 1] = best[first] + height;
                cuts[last + 1] = first;
            }
        }
    }
    const uint64_t bound = best[count];
    uint32_t number = 0;
    for (uint32_t at = count; at != 0; at = cuts[at]) {
        number++;
    }
    if (strata != NULL) {
        *strata = number;
    }
    free(best);
    free(cuts);
    return bound;
}

uint64_t hs_bound_pool(hs_allocator_t allocator, uint32_t base, uint64_t bytes)
{
    uint64_t size = bytes;
    for (int round = 0; round < 8 && size <= HEAP_MOST; round++) {
        const uint64_t has = hs_bound_bytes(allocator, base, (uint32_t)size);
        if (has >= bytes) {
            return size;
        }
        size = (size + bytes - has + 7) / 8 * 8;
    }
    return 0;
}

/* ---- the trace -------------------------------------------------------------------------------------- */

static const hs_fit_step_t *step_at(const hs_fit_t *fit, uint64_t index)
{
    return &fit->chunks[index / HS_FIT_CHUNK][index % HS_FIT_CHUNK];
}

static uint32_t requested_of(const hs_fit_step_t *step)
{
    return step->what & HS_FIT_WORDS ? (step->size + 3u) & ~UINT32_C(3) : step->size;
}

static bool is_request(const hs_fit_step_t *step)
{
    const uint32_t kind = step->what & HS_FIT_KIND;
    return kind != HS_FIT_SKIP && kind != HS_EVENT_FREE;
}

static int by_request(const void *left, const void *right)
{
    const uint32_t a = ((const hs_sized_t *)left)->request,
                   b = ((const hs_sized_t *)right)->request;
    return (a > b) - (a < b);
}

/* The sizes of all requests, ascending, each once. NULL: no host memory. */
static hs_sized_t *sizes_of(const hs_fit_t *fit, uint32_t *count)
{
    hs_sized_t *sizes = malloc((size_t)(fit->steps + 1) * sizeof *sizes);
    size_t requests = 0;
    *count = 0;
    for (uint64_t i = 0; sizes != NULL && i < fit->steps; i++) {
        if (is_request(step_at(fit, i))) {
            sizes[requests++] = (hs_sized_t){.request = requested_of(step_at(fit, i))};
        }
    }
    if (sizes != NULL) {
        qsort(sizes, requests, sizeof *sizes, by_request);
    }
    for (size_t i = 0; i < requests; i++) {
        if (*count == 0 || sizes[*count - 1].request != sizes[i].request) {
            sizes[(*count)++] = sizes[i];
        }
    }
    return sizes;
}

/* The most bytes of blocks that are live at once; a realloc holds both of its blocks. HS_ERR_MEMORY. */
static hs_status_t live_of(const hs_fit_t *fit, const hs_sized_t *sizes, uint32_t count,
                           uint64_t *live)
{
    uint32_t *taken = calloc(fit->blocks.used + 1, sizeof *taken);
    uint64_t now = 0;
    *live = 0;
    for (uint64_t i = 0; taken != NULL && i < fit->steps; i++) {
        const hs_fit_step_t *step = step_at(fit, i);
        const uint32_t slot = step->slot & ~HS_FIT_HIGH;
        if ((step->what & HS_FIT_KIND) == HS_FIT_SKIP) {
            continue;
        }
        uint32_t own = 0;
        if (is_request(step)) {
            const hs_sized_t key = {.request = requested_of(step)};
            own = ((const hs_sized_t *)bsearch(&key, sizes, count, sizeof key, by_request))->taken;
        }
        *live = now + own > *live ? now + own : *live;
        now += own;
        now -= taken[slot];
        taken[slot] = own;
    }
    free(taken);
    return taken == NULL ? HS_ERR_MEMORY : HS_OK;
}

static uint32_t outcome_of(const hs_fit_t *fit, hs_allocator_t allocator)
{
    if (allocator.model->search == HS_SEARCH_UNKNOWN) {
        return HS_LAB_BOUND_SEARCH;
    }
    for (uint64_t i = 0; i < fit->steps; i++) {
        if (is_request(step_at(fit, i)) && (step_at(fit, i)->what & HS_FIT_NEVER) != 0) {
            return HS_LAB_BOUND_NEVER;
        }
    }
    return fit->aligned ? HS_LAB_BOUND_ALIGNED : HS_LAB_BOUND_PROVEN;
}

hs_status_t hs_fit_bound(const hs_fit_t *fit, hs_allocator_t allocator, hs_lab_bound_t *out)
{
    memset(out, 0, sizeof *out);
    out->outcome = outcome_of(fit, allocator);
    if (out->outcome != HS_LAB_BOUND_PROVEN) {
        return HS_OK;
    }
    uint32_t count;
    hs_sized_t *sizes = sizes_of(fit, &count);
    hs_status_t status = sizes == NULL ? HS_ERR_MEMORY : HS_OK;
    for (uint32_t i = 0; status == HS_OK && i < count; i++) {
        if (hs_bound_size(allocator, fit->base, sizes[i].request, &sizes[i]) != HS_OK) {
            out->outcome = HS_LAB_BOUND_NEVER;
        }
    }
    if (status == HS_OK && out->outcome == HS_LAB_BOUND_PROVEN && count != 0) {
        status = live_of(fit, sizes, count, &out->live);
        const bool lowest = allocator.model->search == HS_SEARCH_LOWEST;
        const uint64_t bytes = hs_bound_of(sizes, count, out->live, lowest, &out->strata);
        out->smallest = sizes[0].request;
        out->largest = sizes[count - 1].request;
        out->pool = hs_bound_pool(allocator, fit->base, bytes);
        if (out->pool == 0) {
            out->outcome = HS_LAB_BOUND_LARGE;
            out->pool = bytes;
        }
    }
    free(sizes);
    return status;
}
