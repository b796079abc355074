#include "listen/account.h"

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The region of that index, made when there is room. NULL: none. */
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
    hs_lab_listened_region_t *built = &account->regions[account->region_count++];
    *built = (hs_lab_listened_region_t){.index = (uint32_t)index,
                                        .start = HS_LAB_NEVER,
                                        .free = HS_LAB_NEVER,
                                        .minimum = HS_LAB_NEVER,
                                        .largest = HS_LAB_NEVER,
                                        .time = HS_LAB_NEVER};
    return built;
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

/* Those of which no kind is reported are `lost[0]`, too. Left out is no more than what is missing. */
static void sums_make(hs_account_t *account)
{
    hs_lab_listened_t *sums = &account->sums;
    const uint64_t missing = account->lost > account->by_kind ? account->lost : account->by_kind;
    sums->lost[0] = missing;
    for (unsigned kind = 1; kind < HS_LAB_LISTENED_KINDS; kind++) {
        sums->lost[0] -= sums->lost[kind];
    }
    sums->left_out = least_of(account->left_out, missing);
}

static void kind_take(hs_account_t *account, const hs_event_t *event)
{
    hs_lab_listened_t *sums = &account->sums;
    uint32_t events, bytes;
    if (!hs_lost_kinds_take(&account->kinds, event, &events, &bytes)) {
        return;
    }
    if (event->key == HS_LOST_LEFT_OUT) {
        account->left_out += events;
    } else if (event->key < HS_LAB_LISTENED_KINDS) {
        account->by_kind += events;
        sums->lost[event->key] += events;
        sums->lost_bytes[event->key] += bytes;
    }
    sums_make(account);
}

static void lost_take(hs_account_t *account, const hs_event_t *event)
{
    account->lost += event->size;
    sums_make(account);
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
