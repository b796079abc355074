/* The history of blocks against a plain list of them: pictures, live bytes, sums, single blocks. */
#include <string.h>

#include "../models/check.h"
#include "history/history.h"

#define EVENTS (CHECK_THIN > 1 ? 40000u : 60000u) /* begin more than a piece of memory holds */
#define PLACES 64u
#define START 0x3ffb0000u
#define SPAN 4096u /* bytes of a place */
#define REGIONS 2u
#define HEIGHT 40u
#define WIDTH 24u
#define FOREVER UINT32_MAX

typedef struct block {
    uint32_t born, died, address, size, task, site, region;
} block_t;

static block_t blocks[EVENTS + 300];
static uint32_t count, events;

/* The next block begins. */
static hs_status_t add(hs_history_t *history, uint32_t event, hs_did_t *did)
{
    const block_t *one = &blocks[count];
    const hs_history_event_t of = {.number = event,
                                   .time = 3 * event,
                                   .asked = 5000,
                                   .address = one->address,
                                   .task = one->task,
                                   .site = one->site};
    did->size = one->size;
    did->region = one->region;
    count += did->begins;
    return hs_history_step(history, &of, did);
}

/* The blocks of a snapshot come in front of the first event and have its number. Theirs is the place 0 of
 * the region whose other blocks lie in odd places. */
static void begin(hs_history_t *history, check_random_t *random)
{
    for (const uint32_t until = check_below(random, 300); count < until;) {
        blocks[count] = (block_t){0, FOREVER, START + 12 * count, 12, check_below(random, 3), 0, 1};
        hs_did_t did = {.begins = true};
        CHECK(add(history, 0, &did) == HS_OK, "%u", count);
    }
}

/* A place is taken, left, or taken by a new block of the same event; or a request fails. */
static void play(hs_history_t *history, check_random_t *random, uint32_t until)
{
    static uint32_t of_place[PLACES]; /* number of its block plus 1 */
    if (events == 0) {
        memset(of_place, 0, sizeof of_place);
        begin(history, random);
    }
    for (; events < until; events++) {
        uint32_t place =
            check_below(random, 4) == 0 ? check_below(random, PLACES) : check_below(random, 5);
        hs_did_t did = {.failed = check_below(random, 50) == 0};
        const bool taken = of_place[place] != 0 && !did.failed;
        if (taken) {
            did.ended[0] = of_place[place];
            blocks[of_place[place] - 1].died = events;
            of_place[place] = 0;
        }
        static const uint32_t sizes[] = {16, 16, 700, 0, SPAN};
        blocks[count] = (block_t){events,
                                  FOREVER,
                                  START + place * SPAN,
                                  sizes[check_below(random, 5)],
                                  check_below(random, 3),
                                  check_below(random, 3),
                                  place % REGIONS};
        did.begins = !did.failed && (!taken || check_below(random, 8) == 0);
        of_place[place] = did.begins ? count + 1 : of_place[place];
        CHECK(add(history, events, &did) == HS_OK, "event %u", events);
    }
}

static bool passes(const block_t *one, const hs_lab_filter_t *filter)
{
    const uint32_t end = one->died < events ? one->died : events;
    return one->size != 0 && (filter->task == UINT32_MAX || filter->task == one->task) &&
           (filter->region == UINT32_MAX || filter->region == one->region) &&
           one->size >= filter->size_min && one->size <= filter->size_max &&
           end - one->born >= filter->age && (filter->stays == 0 || one->died == FOREVER);
}

/* ---- pictures ----------------------------------------------------------------------------------- */

typedef struct window {
    double left, right;
    hs_lab_strip_t strips[REGIONS];
    hs_lab_view_t view;
} window_t;

static void look(window_t *window, check_random_t *random)
{
    const uint32_t left = check_below(random, 3) == 0 ? 0 : check_below(random, events);
    const uint32_t right = left + 4 + check_below(random, events + 1000 - left);
    window->view = (hs_lab_view_t){.left = (uint64_t)left * HS_LAB_HISTORY_PARTS,
                                   .right = (uint64_t)right * HS_LAB_HISTORY_PARTS,
                                   .width = 1 + check_below(random, WIDTH),
                                   .height = HEIGHT,
                                   .strips = window->strips,
                                   .strip_count = REGIONS};
    if (check_below(random, 2) == 0) {
        window->view.left += check_below(random, HS_LAB_HISTORY_PARTS);
    }
    window->left = (double)window->view.left / HS_LAB_HISTORY_PARTS;
    window->right = right;
    for (uint32_t i = 0; i < REGIONS; i++) {
        const uint64_t low = START + check_below(random, PLACES * SPAN / 2);
        const uint64_t high = low + 1 + check_below(random, PLACES * SPAN / 2);
        window->strips[i] = (hs_lab_strip_t){.low = low * HS_LAB_HISTORY_PARTS,
                                             .high = high * HS_LAB_HISTORY_PARTS,
                                             .region = i,
                                             .top = i * HEIGHT / REGIONS,
                                             .bottom = (i + 1) * HEIGHT / REGIONS};
    }
}

static uint32_t column(const window_t *window, uint32_t event)
{
    const double x = (event - window->left) * (window->view.width / (window->right - window->left));
    const bool within = event < window->right && x < window->view.width;
    return x <= 0 ? 0 : within ? (uint32_t)x : window->view.width;
}

static void paint(const window_t *window, const block_t *one, uint16_t owners[WIDTH * HEIGHT])
{
    const hs_lab_strip_t *strip = &window->strips[one->region];
    const double low = (double)strip->low / HS_LAB_HISTORY_PARTS, from = one->address;
    const double high = (double)strip->high / HS_LAB_HISTORY_PARTS, to = from + one->size;
    if (one->born >= window->right || one->died <= (uint32_t)window->left || from >= high ||
        to <= low) {
        return;
    }
    const uint32_t rows = strip->bottom - strip->top;
    const double down = rows / (high - low);
    const double above = ((to < high ? to : high) - low) * down - 0.5;
    uint32_t below = (uint32_t)((from > low ? from - low : 0) * down), top = 0;
    while (top < above) {
        top++;
    }
    below = below < rows ? below : rows - 1;
    top = top > below ? top : below + 1;
    top = top < rows ? top : rows;
    const uint32_t x0 = column(window, one->born), x1 = column(window, one->died);
    for (uint32_t x = x0; x < window->view.width && x < (x1 > x0 ? x1 : x0 + 1); x++) {
        for (uint32_t y = below; y < top; y++) {
            owners[x * HEIGHT + strip->bottom - 1 - y] = (uint16_t)(one->task + 1);
        }
    }
}

static void the_picture_is_that_of_all_blocks(const hs_history_t *history, const window_t *window,
                                              const hs_lab_filter_t *filter)
{
    static uint16_t match[WIDTH * HEIGHT], wanted[WIDTH * HEIGHT];
    uint64_t live[WIDTH];
    memset(wanted, 0, sizeof wanted);
    for (uint32_t i = 0; i < count; i++) {
        if (passes(&blocks[i], filter)) {
            paint(window, &blocks[i], wanted);
        }
    }
    CHECK(hs_history_draw(history, &window->view, match, live) == HS_OK, "draw");
    for (uint32_t i = 0; i < window->view.width * HEIGHT; i++) {
        CHECK(match[i] == wanted[i], "pixel %u of %u columns, events %f to %f: %u, not %u", i,
              window->view.width, window->left, window->right, match[i], wanted[i]);
    }
}

static void each_column_has_its_bytes(const hs_history_t *history, const window_t *window,
                                      const hs_lab_filter_t *filter)
{
    static int64_t change[EVENTS + 1];
    static uint16_t owners[WIDTH * HEIGHT];
    uint64_t ends[WIDTH], most[WIDTH], wanted_ends[WIDTH] = {0}, wanted_most[WIDTH] = {0};
    memset(change, 0, sizeof change);
    for (uint32_t i = 0; i < count; i++) {
        if (passes(&blocks[i], filter)) {
            change[blocks[i].born] += blocks[i].size;
            change[blocks[i].died < events ? blocks[i].died : EVENTS] -= blocks[i].size;
        }
    }
    const double across = window->view.width / (window->right - window->left);
    uint64_t live = 0;
    for (uint32_t i = 0; i < events; i++) {
        live += (uint64_t)change[i];
        if (i + 1 > window->left && i < window->right) {
            const double end = (i + 1 - window->left) * across;
            const double begin = (i - window->left) * across;
            const uint32_t x0 = begin > 0 ? (uint32_t)begin : 0;
            for (uint32_t x = x0; x < window->view.width && (x == x0 || x + 1 <= end); x++) {
                wanted_ends[x] = live;
                wanted_most[x] = wanted_most[x] > live ? wanted_most[x] : live;
            }
        }
    }
    CHECK(hs_history_draw(history, &window->view, owners, ends) == HS_OK, "draw");
    CHECK(hs_history_most(history, &window->view, most) == HS_OK, "most");
    for (uint32_t x = 0; x < window->view.width; x++) {
        CHECK(ends[x] == wanted_ends[x], "end of column %u: %llu, not %llu", x,
              (unsigned long long)ends[x], (unsigned long long)wanted_ends[x]);
        CHECK(most[x] == wanted_most[x], "column %u: %llu, not %llu", x,
              (unsigned long long)most[x], (unsigned long long)wanted_most[x]);
    }
}

/* ---- sums --------------------------------------------------------------------------------------- */

typedef struct sums {
    int64_t blocks, bytes, stayed, stayed_bytes;
} sums_t;

static void the_sums_are(const hs_history_t *history, const sums_t wanted[3][3])
{
    sums_t match[3][3];
    memset(match, 0, sizeof match);
    const hs_lab_history_sum_t *rows = (const void *)history->sums.bytes;
    for (size_t i = 0; i < hs_queue_waiting(&history->sums) / sizeof *rows; i++) {
        match[rows[i].task][rows[i].site] =
            (sums_t){rows[i].blocks, rows[i].bytes, rows[i].stayed, rows[i].stayed_bytes};
    }
    CHECK(memcmp(match, wanted, sizeof match) == 0, "sums");
}

static void a_range_is_summed(hs_history_t *history, const window_t *window,
                              const hs_lab_filter_t *filter)
{
    sums_t wanted[3][3];
    memset(wanted, 0, sizeof wanted);
    for (uint32_t i = 0; i < count; i++) {
        const block_t *one = &blocks[i];
        const hs_lab_strip_t *strip = &window->strips[one->region];
        const uint64_t low = (uint64_t)one->address * HS_LAB_HISTORY_PARTS;
        const uint64_t high = low + (uint64_t)one->size * HS_LAB_HISTORY_PARTS;
        if (passes(one, filter) && one->born >= window->left && one->born < window->right &&
            low < strip->high && high > strip->low) {
            const bool stays = one->died >= window->right;
            sums_t *sum = &wanted[one->task][one->site];
            *sum = (sums_t){sum->blocks + 1, sum->bytes + one->size, sum->stayed + stays,
                            sum->stayed_bytes + (stays ? one->size : 0)};
        }
    }
    CHECK(hs_history_range(history, &window->view) == HS_OK, "range");
    the_sums_are(history, (const sums_t(*)[3])wanted);
}

static void two_moments_differ(hs_history_t *history, const hs_lab_filter_t *filter, uint32_t first,
                               uint32_t second)
{
    sums_t wanted[3][3];
    memset(wanted, 0, sizeof wanted);
    for (uint32_t i = 0; i < count; i++) {
        const block_t *one = &blocks[i];
        const int then = one->born <= first && one->died > first;
        const int now = one->born <= second && one->died > second;
        if (passes(one, filter)) {
            wanted[one->task][one->site].blocks += now - then;
            wanted[one->task][one->site].bytes += (now - then) * (int64_t)one->size;
        }
    }
    CHECK(hs_history_difference(history, first, second) == HS_OK, "difference");
    the_sums_are(history, (const sums_t(*)[3])wanted);
}

static void a_block_is_located(const hs_history_t *history, uint32_t event, uint32_t address)
{
    uint32_t wanted = UINT32_MAX;
    const uint32_t region = (address - START) / SPAN % REGIONS;
    for (uint32_t i = 0; i < count; i++) {
        const block_t *one = &blocks[i];
        if (one->born <= event && one->died > event && one->region == region &&
            address >= one->address && address - one->address < one->size) {
            wanted = i;
        }
    }
    hs_lab_life_t rows[3];
    hs_history_pick(history, event, region, address, rows);
    CHECK(rows[0].block == wanted, "block %u, not %u", rows[0].block, wanted);
}

static void ask(hs_history_t *history, check_random_t *random)
{
    hs_lab_filter_t filter = {.task = UINT32_MAX, .region = UINT32_MAX, .size_max = UINT32_MAX};
    switch (check_below(random, 6)) {
    case 0:
        filter.task = 1;
        break;
    case 1:
        filter.region = 1;
        break;
    case 2:
        filter.size_min = 17;
        break;
    case 3:
        filter.age = 1 + check_below(random, 100);
        break;
    case 4:
        filter.stays = 1;
        break;
    default:
        break;
    }
    CHECK(hs_history_filter(history, &filter) == HS_OK, "filter");
    window_t window;
    for (int i = 0; i < 6; i++) {
        look(&window, random);
        the_picture_is_that_of_all_blocks(history, &window, &filter);
        each_column_has_its_bytes(history, &window, &filter);
        a_range_is_summed(history, &window, &filter);
        two_moments_differ(history, &filter, check_below(random, events),
                           check_below(random, events));
        a_block_is_located(history, check_below(random, events),
                           START + check_below(random, PLACES * SPAN));
    }
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    for (int round = 0; round < check_rounds(4); round++) {
        hs_history_t history = {0};
        count = events = 0;
        while (events < EVENTS) { /* asked while the replay is under way, too */
            const uint32_t next = events + 1 + check_below(&random, round == 0 ? 600 : EVENTS / 3);
            play(&history, &random, next < EVENTS ? next : EVENTS);
            ask(&history, &random);
        }
        CHECK(history.blocks == count && history.events == EVENTS, "%u blocks", history.blocks);
        CHECK(hs_history_event(&history, 3 * 1000) == 1000, "event");
        CHECK(hs_history_time(&history, EVENTS) == 3 * (EVENTS - 1u), "time");
        hs_history_free(&history);
    }
    return 0;
}
