/* Growth and rates of a device that is heard; and the free space between its live blocks. */
#include "../models/check.h"
#include "listen/live_blocks.h"
#include "listen/trend.h"

#include <math.h>

static hs_lab_lately_t at(hs_trend_t *trend, double time, double live, uint64_t events,
                          double silent)
{
    hs_lab_lately_t out;
    hs_trend_point_t now = {.time = time, .events = events, .asked = events * 10};
    now.known = live >= 0;
    now.live = now.known ? (uint64_t)live : 0;
    CHECK(hs_trend_lately(trend, &now, silent, &out) == HS_OK, "no memory");
    return out;
}

static void growth_is_measured_since_all_was_known(void)
{
    static const double live[] = {100, -1, 50, 80};
    hs_trend_t trend = {.count = 0};
    hs_lab_lately_t result = {.time = 0};
    for (unsigned i = 0; i < 4; i++) {
        result = at(&trend, i, live[i], 0, 0);
    }
    CHECK(result.grown && result.window == 1 && result.growth == 30, "%g", result.window);
    hs_trend_clear(&trend);
}

static void rates_are_those_of_the_last_seconds(void)
{
    hs_trend_t trend = {.count = 0};
    hs_lab_lately_t result = {.time = 0};
    for (uint64_t i = 0; i < 20; i++) {
        result = at(&trend, (double)i, 0, i * i, 0);
    }
    CHECK(result.rate == (19 * 19 - 14 * 14) / 5.0, "%g", result.rate);
    CHECK(result.churn == 10 * result.rate, "%g", result.churn);
    hs_trend_clear(&trend);
}

static void a_clock_that_goes_back_gives_no_rate(void)
{
    hs_trend_t trend = {.count = 0};
    at(&trend, 100, 0, 0, 0);
    CHECK(!at(&trend, 3, 5, 0, 0).rated, "rated");
    CHECK(at(&trend, 4, 9, 0, 0).growth == 4, "growth");
    hs_trend_clear(&trend);
}

static void nothing_is_lately_on_a_line_without_chunks(void)
{
    hs_trend_t trend = {.count = 0};
    for (uint64_t i = 0; i < 10; i++) {
        at(&trend, (double)i, (double)i * 100, i, 0);
    }
    static const double silent[] = {0, 5, 6, 61, HUGE_VAL};
    for (unsigned i = 0; i < 5; i++) {
        const hs_lab_lately_t result = at(&trend, 9, 900, 9, silent[i]);
        CHECK(result.rated == (silent[i] <= 5), "rate after %g s", silent[i]);
        CHECK(result.grown == (silent[i] <= 60), "growth after %g s", silent[i]);
    }
    hs_trend_clear(&trend);
}

static void an_owner_grows_since_the_oldest_point_of_a_minute(void)
{
    hs_trend_t trend = {.count = 0};
    for (uint64_t i = 0; i < 100; i++) {
        hs_lab_owner_t rows[] = {{.task = HS_LAB_NO_TASK, .live = 5}, {.task = 1, .live = 7 * i}};
        hs_trend_point_t now = {.time = (double)i, .owners = {rows, 2}, .known = true};
        hs_lab_lately_t out;
        CHECK(hs_trend_lately(&trend, &now, 0, &out) == HS_OK, "no memory");
        const uint64_t span = i < 60 ? i : 60;
        CHECK(rows[0].growth == 0 && rows[1].growth == (int64_t)(7 * span), "%d", (int)i);
    }
    hs_trend_clear(&trend);
}

/* Against all stretches that begin at a border, one by one. */
static void the_stretch_with_the_fewest_live_bytes_is_in_the_way(void)
{
    uint32_t state = 1;
    for (int round = 0; round < 500; round++) {
        hs_state_block_t rows[12];
        uint64_t from = 100;
        for (size_t i = 0; i < 12; i++) {
            state = state * 1664525u + 1013904223u;
            rows[i] = (hs_state_block_t){.address = from + (state >> 28), .size = state >> 24 & 31};
            from = rows[i].address + rows[i].size;
        }
        const hs_live_blocks_t blocks = {rows, 12};
        const hs_span_t span = {100, from + 9};
        const uint64_t room = hs_live_blocks_room(&blocks, span);
        const uint64_t size = room + 1 + (state >> 16 & 63);
        uint64_t least = UINT64_MAX, held = 0;
        for (size_t first = 0; first <= 12; first++) {
            const uint64_t start =
                first == 0 ? span.start : rows[first - 1].address + rows[first - 1].size;
            uint64_t sum = 0;
            for (size_t last = first; last <= 12; sum += last < 12 ? rows[last].size : 0, last++) {
                const uint64_t limit = last < 12 ? rows[last].address : span.limit;
                least = limit - start >= size && sum < least ? sum : least;
            }
        }
        const hs_live_blocks_t best = hs_live_blocks_in_the_way(&blocks, &span, 1, size);
        for (size_t i = 0; i < best.count; i++) {
            held += best.rows[i].size;
        }
        CHECK(held == (least == UINT64_MAX ? 0 : least), "round %d", round);
    }
}

int main(void)
{
    growth_is_measured_since_all_was_known();
    rates_are_those_of_the_last_seconds();
    a_clock_that_goes_back_gives_no_rate();
    nothing_is_lately_on_a_line_without_chunks();
    an_owner_grows_since_the_oldest_point_of_a_minute();
    the_stretch_with_the_fewest_live_bytes_is_in_the_way();
    return 0;
}
