#include "leaks/leaks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "leaks/evidence.h"
#include "leaks/level.h"
#include "leaks/speed.h"

/* Share of holders without a leak among those called leaks, at most, on average. */
#define FALSE_SHARE 0.02
/* Stretches below which nothing is reported. */
#define STRETCHES_LEAST 8
/* A holder that looks so much like a leak is called neither plateau nor cache. */
#define SUSPECT 0.2
/* Allocations in this part of an axis are the start-up's. */
#define STARTUP (1.0 / 32)
/* A leak on the axis of time goes on for this part of the interval. Where it keeps at most one in so many blocks, it does
 * so for this part of its task's time: that of other tasks says nothing of its requests. A task that is done and keeps
 * more may have prepared what the others use. */
#define GOES_ON 0.5
#define KEEPS_FEW 4
/* Growth that was over in this part of the interval stopped, whatever the scheduler does. */
#define OVER 0.125
#define TABLE (HS_LAB_LEAK_STRETCHES + 1)

/* All blocks by holder and axis, and what one holder on one axis at a time is looked at in. */
typedef struct leaks {
    const hs_lab_holder_row_t *holders; /* ascending */
    size_t holder_count;
    hs_lab_life_row_t *rows; /* ascending, those that stay of each holder among them */
    size_t count;
    double tables[4][TABLE];
    double *chances;
    size_t tested;
    double share, limit;
    hs_leak_holder_t holder;
} leaks_t;

/* The facts about one holder: its rows, and the first of those of the axis that it is judged along. */
typedef struct finding {
    const hs_lab_holder_row_t *row;
    size_t first, end, axis;
    hs_leak_evidence_t match;
    bool grows, shows, began, ended;
} holder_test_t;

static int compare(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int by_holder(const void *left, const void *right)
{
    const hs_lab_holder_row_t *a = left, *b = right;
    return a->task != b->task ? compare(a->task, b->task) : compare(a->site, b->site);
}

static int by_axis(const void *left, const void *right)
{
    const hs_lab_life_row_t *a = left, *b = right;
    const int task = compare(a->task, b->task), site = compare(a->site, b->site);
    return task != 0 ? task : site != 0 ? site : compare(a->axis, b->axis);
}

static uint32_t stretches_of(const hs_lab_holder_row_t *row, uint32_t axis)
{
    return axis == HS_LAB_AXIS_TIME   ? row->by_time
           : axis == HS_LAB_AXIS_OWN  ? row->by_own
           : axis == HS_LAB_AXIS_TASK ? row->by_task
                                      : 0;
}

static const hs_lab_holder_row_t *holder_of(const leaks_t *leaks, uint32_t task, uint32_t site)
{
    const hs_lab_holder_row_t key = {.task = task, .site = site};
    return leaks->holder_count == 0
               ? NULL
               : bsearch(&key, leaks->holders, leaks->holder_count, sizeof key, by_holder);
}

/* ---- the blocks ------------------------------------------------------------------------------- */

/* A live block is a life on each axis of its holder; without one, it is in no stretch. */
static void take_live(leaks_t *leaks, const hs_lab_live_row_t *live)
{
    const hs_lab_holder_row_t *row = holder_of(leaks, live->task, live->site);
    hs_lab_life_row_t life = {.blocks = 1,
                              .bytes = live->size,
                              .task = live->task,
                              .site = live->site,
                              .freed = HS_LAB_STAYS,
                              .axis = HS_LAB_AXIS_NONE};
    const size_t before = leaks->count;
    if (row != NULL && row->by_time != 0) {
        life.axis = HS_LAB_AXIS_TIME;
        life.born = live->by_time;
        leaks->rows[leaks->count++] = life;
    }
    if (row != NULL && row->by_own + row->by_task != 0) {
        life.axis = row->by_own != 0 ? HS_LAB_AXIS_OWN : HS_LAB_AXIS_TASK;
        life.born = live->by_count;
        leaks->rows[leaks->count++] = life;
    }
    if (leaks->count == before) {
        leaks->rows[leaks->count++] = life;
    }
}

/* Lives of holders of which nothing stays are left out: they cannot leak. */
static void drop_ended(leaks_t *leaks)
{
    size_t kept = 0;
    for (size_t i = 0; i < leaks->count;) {
        size_t end = i;
        bool stays = false;
        for (; end < leaks->count && leaks->rows[end].task == leaks->rows[i].task &&
               leaks->rows[end].site == leaks->rows[i].site;
             end++) {
            stays |= leaks->rows[end].freed == HS_LAB_STAYS;
        }
        if (stays) {
            memmove(leaks->rows + kept, leaks->rows + i, (end - i) * sizeof *leaks->rows);
            kept += end - i;
        }
        i = end;
    }
    leaks->count = kept;
}

static bool is_sound(const leaks_t *leaks)
{
    for (size_t i = 1; i < leaks->holder_count; i++) {
        if (by_holder(&leaks->holders[i - 1], &leaks->holders[i]) >= 0) {
            return false;
        }
    }
    for (size_t i = 0; i < leaks->count; i++) {
        const hs_lab_life_row_t *row = &leaks->rows[i];
        const hs_lab_holder_row_t *holder = holder_of(leaks, row->task, row->site);
        const uint32_t most = holder == NULL ? 0 : stretches_of(holder, row->axis);
        if (most > HS_LAB_LEAK_STRETCHES || row->born > most ||
            (row->freed != HS_LAB_STAYS && (row->freed > most || row->freed < row->born))) {
            return false;
        }
    }
    return true;
}

static hs_status_t collect(leaks_t *leaks, const hs_leak_question_t *question)
{
    const size_t most = SIZE_MAX / sizeof *leaks->rows / 4;
    if (question->life_count > most || question->live_count > most) {
        return HS_ERR_MEMORY;
    }
    leaks->holder_count = question->holder_count;
    leaks->holders = question->holders;
    leaks->rows =
        malloc((question->life_count + 2 * question->live_count + 1) * sizeof *leaks->rows);
    if (leaks->rows == NULL) {
        return HS_ERR_MEMORY;
    }
    if (question->life_count != 0) {
        memcpy(leaks->rows, question->lives, question->life_count * sizeof *leaks->rows);
    }
    leaks->count = question->life_count;
    for (size_t i = 0; i < question->live_count; i++) {
        take_live(leaks, &question->live[i]);
    }
    qsort(leaks->rows, leaks->count, sizeof *leaks->rows, by_axis);
    if (!is_sound(leaks)) {
        return HS_ERR_ARGUMENT;
    }
    drop_ended(leaks);
    leaks->share = FALSE_SHARE;
    return HS_OK;
}

/* ---- one holder ------------------------------------------------------------------------------- */

/* The holder on the axis of the first row; returns the first row of the next axis or holder. */
static size_t take_axis(leaks_t *leaks, size_t first, size_t stretches, bool kept)
{
    hs_leak_holder_t *holder = &leaks->holder;
    for (size_t i = 0; i < holder->count; i++) { /* of the one before */
        leaks->tables[0][holder->rows[i].born] = leaks->tables[1][holder->rows[i].born] = 0;
    }
    if (holder->larger) {
        memset(leaks->tables, 0, sizeof leaks->tables);
    }
    *holder = (hs_leak_holder_t){.axis = leaks->rows[first].axis,
                                 .kept = kept,
                                 .rows = leaks->rows + first,
                                 .stretches = stretches,
                                 .alive = leaks->tables[0],
                                 .alive_bytes = leaks->tables[1],
                                 .births = leaks->tables[2],
                                 .gone = leaks->tables[3]};
    for (size_t i = first; i < leaks->count && by_axis(holder->rows, &leaks->rows[i]) == 0; i++) {
        const hs_lab_life_row_t *row = &leaks->rows[i];
        holder->count++;
        holder->blocks += (double)row->blocks;
        if (row->freed == HS_LAB_STAYS) {
            holder->alive[row->born] += (double)row->blocks;
            holder->alive_bytes[row->born] += (double)row->bytes;
        }
    }
    return first + holder->count;
}

static size_t take_again(leaks_t *leaks, const holder_test_t *test, size_t first)
{
    const hs_lab_holder_row_t *row = test->row;
    const uint32_t axis = leaks->rows[first].axis;
    const size_t stretches = row == NULL ? 0 : stretches_of(row, axis);
    const size_t end =
        take_axis(leaks, first, stretches, row != NULL && row->freed < row->allocated - row->freed);
    if (stretches != 0 && axis != HS_LAB_AXIS_OWN) {
        hs_leak_take_larger(&leaks->holder);
    }
    return end;
}

/* Growth along time whose last block came here goes on. */
static bool goes_on(const hs_lab_holder_row_t *row, double reached)
{
    if (row == NULL || (row->allocated - row->freed) > row->allocated / KEEPS_FEW) {
        return reached >= GOES_ON;
    }
    return reached > STARTUP && reached >= GOES_ON * (double)row->over / row->by_time;
}

/* Time alone tells how a holder grows where its growth is as steady as that of one independent birth a stretch: what
 * comes in fits and starts comes when the scheduler lets it. */
static bool shows_growth(const hs_leak_holder_t *holder)
{
    return holder->axis != HS_LAB_AXIS_TIME || hs_leak_reached(holder) <= OVER ||
           hs_leak_independent(holder) >= (double)holder->stretches;
}

/* The holder has an axis of allocations: they come in the same order whatever the scheduler does. */
static bool counts_allocations(const hs_lab_holder_row_t *row)
{
    return row != NULL && row->by_own + row->by_task != 0;
}

/* The holder whose first row this is. Where it counts allocations, the time says when it began and ended, and no more. */
static holder_test_t look(leaks_t *leaks, size_t first)
{
    const hs_lab_life_row_t *begin = &leaks->rows[first];
    holder_test_t test = {.row = holder_of(leaks, begin->task, begin->site),
                          .first = first,
                          .axis = first,
                          .match = {.chance = 1, .variance = 1}};
    size_t at = first;
    while (at < leaks->count && leaks->rows[at].task == begin->task &&
           leaks->rows[at].site == begin->site) {
        const size_t here = at;
        at = take_again(leaks, &test, here);
        const hs_leak_holder_t *holder = &leaks->holder;
        if (holder->stretches == 0) {
            continue;
        }
        const double reached = hs_leak_reached(holder);
        test.began |= reached <= STARTUP && here == first;
        test.ended |= holder->axis == HS_LAB_AXIS_TIME && !goes_on(test.row, reached);
        if (holder->axis != HS_LAB_AXIS_TIME || !counts_allocations(test.row)) {
            test.axis = here;
            test.match = hs_leak_evidence(holder);
            test.shows = shows_growth(holder);
        }
    }
    test.end = at;
    const bool early = test.row != NULL && test.row->by_time == 0 && test.row->early != 0;
    test.began |= early;
    test.ended |= early;
    test.grows = test.match.testable && test.match.steady && test.shows && !test.ended;
    return test;
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The chance up to which holders are leaks, after Benjamini and Hochberg. Holders with too few old blocks to be called
 * leaks whatever these did are not among the tested ones (Tarone). Returns how many holders there are. */
static size_t find_limit(leaks_t *leaks)
{
    size_t count = 0;
    for (size_t at = 0; at < leaks->count; count++) {
        const holder_test_t test = look(leaks, at);
        if (test.match.testable) {
            leaks->chances[leaks->tested++] = test.grows ? test.match.chance : 1;
        }
        at = test.end;
    }
    if (leaks->tested != 0) {
        qsort(leaks->chances, leaks->tested, sizeof *leaks->chances, ascending);
    }
    const double tested = leaks->tested == 0 ? 1 : (double)leaks->tested;
    leaks->limit = leaks->share / tested;
    for (size_t i = 0; i < leaks->tested; i++) {
        const double step = leaks->share * (double)(i + 1) / tested;
        leaks->limit = leaks->chances[i] <= step ? step : leaks->limit;
    }
    return count;
}

/* ---- verdicts --------------------------------------------------------------------------------- */

/* The evidence of a leak grows with the square of the time: its blocks become more and older. */
static double longer(const leaks_t *leaks, double chance)
{
    const double shown = -log(fmax(fmin(chance, 0.9), 1e-12));
    const double tested = leaks->tested == 0 ? 1 : (double)leaks->tested;
    return fmin(10, fmax(2, ceil(sqrt(-log(leaks->share / tested) / shown))));
}

/* Independent births become more with the time. */
static double longer_until(const hs_leak_holder_t *holder)
{
    const double ratio = (double)holder->stretches / fmax(1, hs_leak_independent(holder));
    return fmin(10, fmax(2, ceil(ratio)));
}

static void settle(hs_lab_leak_row_t *row, hs_lab_leak_verdict_t verdict,
                   hs_lab_leak_reason_t reason)
{
    row->verdict = verdict;
    row->reason = reason;
}

static void judge(leaks_t *leaks, const holder_test_t *test, hs_lab_leak_row_t *row)
{
    const hs_leak_holder_t *holder = &leaks->holder;
    const bool suspect = test->grows && test->match.chance <= SUSPECT;
    double bound;
    take_again(leaks, test, test->axis);
    if (test->grows && test->match.chance <= leaks->limit) {
        settle(row, HS_LAB_LEAK_LEAK, holder->larger ? HS_LAB_LEAK_LARGER : HS_LAB_LEAK_GROWS);
        hs_leak_speed(holder, &test->match, row);
        if (holder->larger) {
            row->blocks = row->blocks_low = row->blocks_high = 0;
        }
    } else if (holder->stretches == 0) {
        row->reason = HS_LAB_LEAK_ONLY_GROWTH;
    } else if (holder->stretches < STRETCHES_LEAST) {
        row->reason = HS_LAB_LEAK_SHORT;
    } else if (test->began) {
        settle(row, HS_LAB_LEAK_STARTUP, HS_LAB_LEAK_BEGAN);
    } else if (!test->shows) {
        row->reason = HS_LAB_LEAK_UNEVEN;
        row->longer = longer_until(holder);
    } else if (!suspect && hs_leak_returns(holder)) {
        settle(row, HS_LAB_LEAK_CACHE, HS_LAB_LEAK_RETURNS);
    } else if (!suspect && hs_leak_stopped(holder)) {
        settle(row, HS_LAB_LEAK_PLATEAU, HS_LAB_LEAK_STOPPED);
    } else if (holder->larger) {
        row->reason = HS_LAB_LEAK_LARGER;
    } else if (hs_leak_fills(holder, &bound)) {
        settle(row, HS_LAB_LEAK_FILLING, HS_LAB_LEAK_FADES);
        row->bound = bound;
    } else {
        row->reason = HS_LAB_LEAK_OPEN;
        row->longer = longer(leaks, test->match.chance);
    }
}

static hs_lab_leak_row_t row_of(leaks_t *leaks, const holder_test_t *test, bool whole)
{
    const hs_lab_life_row_t *first = &leaks->rows[test->first];
    hs_lab_leak_row_t row = {.chance = test->match.chance,
                             .old = test->match.old,
                             .ended = test->match.ended,
                             .task = first->task,
                             .site = first->site,
                             .verdict = HS_LAB_LEAK_UNKNOWN,
                             .reason = HS_LAB_LEAK_NOT_WHOLE,
                             .axis = leaks->rows[test->axis].axis};
    if (whole) {
        judge(leaks, test, &row);
    }
    return row;
}

static void discard(leaks_t *leaks)
{
    free(leaks->rows);
    free(leaks->chances);
    free(leaks);
}

hs_status_t hs_leaks(const hs_leak_question_t *question, hs_lab_leak_row_t *rows, size_t capacity,
                     size_t *count)
{
    *count = 0;
    leaks_t *leaks = calloc(1, sizeof *leaks);
    if (leaks == NULL) {
        return HS_ERR_MEMORY;
    }
    hs_status_t status = collect(leaks, question);
    leaks->chances = status == HS_OK ? malloc((leaks->count + 1) * sizeof *leaks->chances) : NULL;
    if (status == HS_OK && leaks->chances == NULL) {
        status = HS_ERR_MEMORY;
    }
    if (status == HS_OK) {
        *count = find_limit(leaks);
        size_t written = 0;
        for (size_t at = 0; at < leaks->count && written < capacity; written++) {
            const holder_test_t test = look(leaks, at);
            rows[written] = row_of(leaks, &test, question->whole);
            at = test.end;
        }
    }
    discard(leaks);
    return status;
}
