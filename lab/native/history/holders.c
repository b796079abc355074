/* Who asked for blocks: each pair of a task and a call site has a number, in the order of its first block. */
#include <stdlib.h>

#include "history/history.h"

static size_t place_of(const hs_history_t *history, const uint32_t *slots, size_t count,
                       uint32_t task, uint32_t site)
{
    const uint64_t mixed = ((uint64_t)task << 32 | site) * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(mixed >> 32) & (count - 1);
    while (slots[at] != 0) { /* at most half of the slots are used, so it ends */
        const hs_history_holder_t *holder = hs_history_holder_at(history, slots[at] - 1);
        if (holder->task == task && holder->site == site) {
            break;
        }
        at = (at + 1) & (count - 1);
    }
    return at;
}

static bool grow(hs_history_t *history)
{
    const size_t count = history->slot_count == 0 ? 256 : history->slot_count * 2;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < hs_history_holders(history); i++) {
        const hs_history_holder_t *holder = hs_history_holder_at(history, i);
        slots[place_of(history, slots, count, holder->task, holder->site)] = i + 1;
    }
    free(history->slots);
    history->slots = slots;
    history->slot_count = count;
    return true;
}

uint32_t hs_history_holder(hs_history_t *history, uint32_t task, uint32_t site)
{
    const uint32_t number = hs_history_holders(history);
    if ((size_t)number * 2 >= history->slot_count && !grow(history)) {
        return UINT32_MAX;
    }
    const size_t at = place_of(history, history->slots, history->slot_count, task, site);
    if (history->slots[at] != 0) {
        return history->slots[at] - 1;
    }
    const hs_history_holder_t holder = {
        .task = task,
        .site = site,
        .owner = (uint16_t)(task < HS_LAB_HISTORY_TASKS ? task + 1 : UINT16_MAX),
        .passes = hs_history_admits(&history->sieve, task, site)};
    if (hs_queue_put(&history->holders, &holder, sizeof holder) != HS_OK) {
        return UINT32_MAX;
    }
    history->slots[at] = number + 1;
    return number;
}
