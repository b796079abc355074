#include "listen/account.h"

#define LEFT_OUT 7u /* a LOST_KIND of its own */

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The region of that index, made when there is room. NULL: there is none. */
static hs_lab_listened_region_t *region_of(hs_account_t *account, uint64_t index)
{
    for (size_t i = 0; i < account->region_count; i++) {
        if (account->regions[i].index == index) {
            return &account->regions[i];
        }
    }
    if (account->region_count == HS_LAB_LISTENED_REGIONS) {
        return NULL;
    }
    hs_lab_listened_region_t *made = &account->regions[account->region_count++];
    *made = (hs_lab_listened_region_t){.index = (uint32_t)index,
                                       .start = HS_LAB_NEVER,
                                       .free = HS_LAB_NEVER,
                                       .minimum = HS_LAB_NEVER,
                                       .largest = HS_LAB_NEVER,
                                       .time = HS_LAB_NEVER};
    return made;
}

static void region_take(hs_account_t *account, const hs_event_t *event)
{
    hs_lab_listened_region_t *region = region_of(account, event->key);
    if (region != NULL) {
        region->start = event->new_key;
        region->size = event->size;
        region->caps = event->caps;
    }
}

static void memory_take(hs_account_t *account, const hs_event_t *event)
{
    hs_lab_listened_region_t *region = region_of(account, event->site);
    if (region != NULL) {
        region->free = event->key;
        region->minimum = event->new_key;
        region->largest = event->size;
        region->time = event->time;
    }
}

/* LOST_KIND records are not believed beyond the number of their LOST. */
static void kind_take(hs_account_t *account, const hs_event_t *event)
{
    hs_lab_listened_t *sums = &account->sums;
    if (event->key == LEFT_OUT) {
        const uint64_t more = least_of(event->new_key, account->left_out_most);
        account->left_out_most -= more;
        sums->left_out += more;
    } else if (event->key < HS_LAB_LISTENED_KINDS) {
        const uint64_t more = least_of(event->new_key, account->kinds_left);
        account->kinds_left -= more;
        sums->lost[0] -= more;
        sums->lost[event->key] += more;
        sums->lost_bytes[event->key] += event->size;
    }
}

static void lost_take(hs_account_t *account, const hs_event_t *event)
{
    account->sums.lost[0] += event->size;
    account->kinds_left = event->size;
    account->left_out_most = event->size;
}

static void time_take(hs_account_t *account, const hs_event_t *event)
{
    if (HS_EVENT_IS_HEAP(event->kind)) {
        account->sums.first_time = account->heard++ == 0 ? event->time : account->sums.first_time;
        account->sums.last_time = event->time;
    }
}

void hs_account_event(hs_account_t *account, const hs_event_t *event)
{
    hs_lab_listened_t *sums = &account->sums;
    time_take(account, event);
    switch (event->kind) {
    case HS_EVENT_MALLOC:
    case HS_EVENT_CALLOC:
    case HS_EVENT_ALIGNED:
        sums->allocations++;
        sums->asked += event->size;
        break;
    case HS_EVENT_REALLOC:
        sums->reallocations++;
        sums->asked += event->size;
        break;
    case HS_EVENT_FREE:
        sums->frees++;
        break;
    case HS_EVENT_FAILED:
        sums->failures++;
        break;
    case HS_EVENT_MARK:
        sums->marks++;
        break;
    case HS_EVENT_LOST:
        lost_take(account, event);
        break;
    case HS_EVENT_LOST_KIND:
        kind_take(account, event);
        break;
    case HS_EVENT_REGION:
        region_take(account, event);
        break;
    case HS_EVENT_FREE_MEMORY:
        memory_take(account, event);
        break;
    default:
        break;
    }
}
