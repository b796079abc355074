#include "listen/trend.h"

#include <stdlib.h>
#include <string.h>

void hs_trend_clear(hs_trend_t *trend)
{
    for (size_t i = 0; i < trend->count; i++) {
        hs_owners_free(&trend->points[i].owners);
    }
    trend->count = 0;
}

static bool is_before(const hs_trend_point_t *point, const hs_trend_point_t *now, double span)
{
    const double passed = now->time - point->time;
    return passed >= HS_TREND_STEP && passed <= span;
}

/* The oldest point that a rate is taken from; NULL: none. */
static const hs_trend_point_t *rated_from(const hs_trend_t *trend, const hs_trend_point_t *now)
{
    for (size_t i = 0; i < trend->count; i++) {
        if (is_before(&trend->points[i], now, HS_TREND_RATE_SPAN)) {
            return &trend->points[i];
        }
    }
    return NULL;
}

/* The oldest point since which the live blocks were known all along; NULL: none. */
static const hs_trend_point_t *grown_from(const hs_trend_t *trend, const hs_trend_point_t *now)
{
    const hs_trend_point_t *oldest = NULL;
    for (size_t i = trend->count; i > 0; i--) {
        const hs_trend_point_t *point = &trend->points[i - 1];
        if (!point->known || now->time - point->time > HS_TREND_SPAN) {
            break;
        }
        oldest = point;
    }
    return now->known && oldest != NULL && is_before(oldest, now, HS_TREND_SPAN) ? oldest : NULL;
}

static void owners_grow(hs_owners_t *owners, const hs_owners_t *before)
{
    for (size_t i = 0; i < owners->count; i++) {
        const hs_lab_owner_t *then = hs_owners_find(before, &owners->rows[i]);
        owners->rows[i].growth = (int64_t)(owners->rows[i].live - (then == NULL ? 0 : then->live));
    }
}

static hs_status_t keep(hs_trend_t *trend, const hs_trend_point_t *now)
{
    if (trend->count != 0 && now->time - trend->points[trend->count - 1].time < HS_TREND_STEP) {
        return HS_OK;
    }
    hs_owners_t owners = {0};
    if (now->owners.count != 0 && now->owners.count <= HS_TREND_OWNERS_MAX) {
        const size_t bytes = now->owners.count * sizeof *owners.rows;
        owners = (hs_owners_t){malloc(bytes), now->owners.count};
        if (owners.rows == NULL) {
            return HS_ERR_MEMORY;
        }
        memcpy(owners.rows, now->owners.rows, bytes);
    }
    if (trend->count == HS_TREND_POINTS) {
        hs_owners_free(&trend->points[0].owners);
        memmove(trend->points, trend->points + 1, --trend->count * sizeof *trend->points);
    }
    hs_trend_point_t *point = &trend->points[trend->count++];
    *point = *now;
    point->owners = owners;
    return HS_OK;
}

hs_status_t hs_trend_lately(hs_trend_t *trend, hs_trend_point_t *now, double silent,
                            hs_lab_lately_t *out)
{
    *out = (hs_lab_lately_t){.time = now->time, .owners = (uint32_t)now->owners.count};
    if (trend->count != 0 && now->time < trend->points[trend->count - 1].time) {
        hs_trend_clear(trend); /* a clock that goes back tells no time */
    }
    const hs_trend_point_t *rated = silent <= HS_TREND_RATE_SPAN ? rated_from(trend, now) : NULL;
    const hs_trend_point_t *grown = silent <= HS_TREND_SPAN ? grown_from(trend, now) : NULL;
    if (rated != NULL) {
        const double passed = now->time - rated->time;
        out->rated = 1;
        out->rate = (double)(now->events - rated->events) / passed;
        out->churn = (double)(now->asked - rated->asked) / passed;
    }
    if (grown != NULL) {
        out->grown = 1;
        out->window = now->time - grown->time;
        out->growth = (int64_t)(now->live - grown->live);
        owners_grow(&now->owners, &grown->owners);
    }
    return keep(trend, now);
}
