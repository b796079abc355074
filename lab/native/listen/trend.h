/* Growth and rates of a device's heap over the last seconds: a point a second, a minute of them. */
#ifndef HEAPSCOPE_NATIVE_TREND_H
#define HEAPSCOPE_NATIVE_TREND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"
#include "listen/live_blocks.h"
#include "rows/listen.h"

#define HS_TREND_STEP 1.0      /* seconds between two points */
#define HS_TREND_SPAN 60.0     /* seconds that growth is measured over at most */
#define HS_TREND_RATE_SPAN 5.0 /* seconds that a rate is taken over at most */
#define HS_TREND_POINTS 61
#define HS_TREND_OWNERS_MAX 4096 /* of a point */

typedef struct hs_trend_point {
    double time; /* seconds */
    uint64_t events, asked, live;
    hs_owners_t owners; /* in the order of hs_owners_take */
    bool known;         /* the live blocks are */
} hs_trend_point_t;

typedef struct hs_trend {
    hs_trend_point_t points[HS_TREND_POINTS]; /* the oldest first */
    size_t count;
} hs_trend_t;

/* The changes up to `now`, of which it keeps a copy; it sets the growth of the owners of `now`. `silent`:
 * seconds without a chunk by the caller's clock. The recording's clock stands still then, so that rates and
 * growth are unknown. HS_ERR_MEMORY: no host memory. O(owners log owners). */
hs_status_t hs_trend_lately(hs_trend_t *trend, hs_trend_point_t *now, double silent,
                            hs_lab_lately_t *out);
void hs_trend_clear(hs_trend_t *trend);

#endif
