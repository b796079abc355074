#include "leaks/leaks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "leaks/evidence.h"
#include "leaks/level.h"
#include "leaks/tails.h"

/* Share of holders without a leak among those called leaks, at most, on average. */
#define FALSE_SHARE 0.05
/* Stretches below which nothing is reported. */
#define STRETCHES_LEAST 8
/* A holder that looks so much like a leak is called neither plateau nor cache. */
#define SUSPECT 0.2
/* The share of all events that may have made blocks that stayed. Were it all of them, any growth would
 * look steady: events are the clock. */
#define EVENTS_OWN 0.5
#define BAND_TAIL 0.025 /* of a band, on each side */

size_t hs_leak_looks(uint64_t first, uint64_t last, uint64_t *looks)
{
    const uint64_t steps = HS_LAB_LEAK_LOOKS - 1, span = last - first;
    size_t count = 0;
    for (uint64_t i = 0; i <= steps; i++) {
        const uint64_t look = first + span / steps * i + span % steps * i / steps;
        if (count == 0 || look != looks[count - 1]) {
            looks[count++] = look;
        }
    }
    return count;
}

/* All blocks by holder, and what one holder at a time is looked at in. */
typedef struct leaks {
    hs_lab_life_row_t *rows;
    size_t count;
    double *tables; /* four of stretches + 1 */
    double *chances;
    size_t tested;
    double limit;
    double stayed; /* blocks that were born in the interval */
    hs_leak_holder_t holder;
} leaks_t;

static int by_holder(const void *left, const void *right)
{
    const hs_lab_life_row_t *a = left, *b = right;
    if (a->task != b->task) {
        return a->task < b->task ? -1 : 1;
    }
    return (a->site > b->site) - (a->site < b->site);
}

/* How many looks were at the event or before it. */
static uint32_t looks_until(const hs_leak_question_t *question, uint64_t event)
{
    size_t low = 0;
    for (size_t high = question->look_count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (question->looks[middle] <= event) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (uint32_t)low;
}

static hs_status_t collect(leaks_t *leaks, const hs_leak_question_t *question)
{
    const size_t looks = question->look_count, most = SIZE_MAX / sizeof *leaks->rows / 2;
    if (looks == 0 || looks > HS_LAB_MOMENTS_MAX) {
        return HS_ERR_ARGUMENT;
    }
    if (question->life_count > most || question->live_count > most) {
        return HS_ERR_MEMORY;
    }
    leaks->count = question->life_count + question->live_count;
    leaks->rows = malloc((leaks->count + 1) * sizeof *leaks->rows);
    leaks->chances = malloc((leaks->count + 1) * sizeof *leaks->chances);
    leaks->tables = malloc(4 * looks * sizeof *leaks->tables);
    if (leaks->rows == NULL || leaks->chances == NULL || leaks->tables == NULL) {
        return HS_ERR_MEMORY;
    }
    if (question->life_count != 0) {
        memcpy(leaks->rows, question->lives, question->life_count * sizeof *leaks->rows);
    }
    for (size_t i = 0; i < question->live_count; i++) {
        const hs_lab_live_row_t *live = &question->live[i];
        const uint32_t born = looks_until(question, live->birth);
        leaks->rows[question->life_count + i] = (hs_lab_life_row_t){
            .blocks = 1,
            .bytes = live->size,
            .task = live->task,
            .site = live->site,
            .born = born < looks ? born : (uint32_t)looks - 1,
            .freed = HS_LAB_STAYS,
        };
    }
    for (size_t i = 0; i < leaks->count; i++) {
        const hs_lab_life_row_t *row = &leaks->rows[i];
        const bool stays = row->freed == HS_LAB_STAYS;
        if (row->born >= looks || (!stays && (row->freed >= looks || row->freed < row->born))) {
            return HS_ERR_ARGUMENT;
        }
        leaks->stayed += stays && row->born != 0 ? (double)row->blocks : 0;
    }
    qsort(leaks->rows, leaks->count, sizeof *leaks->rows, by_holder);
    leaks->holder.stretches = looks - 1;
    leaks->holder.alive = leaks->tables;
    leaks->holder.alive_bytes = leaks->tables + looks;
    leaks->holder.births = leaks->tables + 2 * looks;
    leaks->holder.gone = leaks->tables + 3 * looks;
    return HS_OK;
}

/* The holder whose first row this is; returns the first row of the next one. */
static size_t take_holder(leaks_t *leaks, size_t first)
{
    hs_leak_holder_t *holder = &leaks->holder;
    const size_t looks = holder->stretches + 1;
    memset(leaks->tables, 0, 2 * looks * sizeof *leaks->tables);
    holder->rows = leaks->rows + first;
    holder->count = 0;
    holder->blocks = 0;
    for (size_t i = first; i < leaks->count && by_holder(holder->rows, &leaks->rows[i]) == 0; i++) {
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

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The chance up to which holders are leaks, after Benjamini and Hochberg. Holders with too few old
 * blocks to be called leaks whatever these did are not among the tested ones (Tarone). */
static void find_limit(leaks_t *leaks)
{
    size_t tested = 0;
    for (size_t at = 0; at < leaks->count;) {
        at = take_holder(leaks, at);
        const hs_leak_evidence_t match = hs_leak_evidence(&leaks->holder);
        if (match.testable) {
            leaks->chances[tested++] = match.steady ? match.chance : 1;
        }
    }
    qsort(leaks->chances, tested, sizeof *leaks->chances, ascending);
    leaks->tested = tested == 0 ? 1 : tested;
    leaks->limit = FALSE_SHARE / (double)leaks->tested;
    for (size_t i = 0; i < tested; i++) {
        const double step = FALSE_SHARE * (double)(i + 1) / (double)leaks->tested;
        leaks->limit = leaks->chances[i] <= step ? step : leaks->limit;
    }
}

/* The least mean at which at most `count` events are so rare, or with `above` more than `count` so
 * frequent, that the band ends there. */
static double solve(double count, bool above)
{
    double low = 0, high = 10 * ((above ? count + 1 : count) + 5);
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2, tail = hs_tail_poisson_at_most(count, middle);
        if (above ? 1 - tail >= BAND_TAIL : tail <= BAND_TAIL) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

/* The band of a count whose variance is `variance` times that of a Poisson process: Garwood's exact
 * band of the count divided by it. */
static void band(double count, double variance, double unit, double *value, double *low,
                 double *high)
{
    const double number = count / variance, scale = variance * unit;
    *value = count * unit;
    *low = fmin(solve(number - 1, true), number) * scale;
    *high = fmax(solve(number, false), number) * scale;
}

static void rate(const hs_leak_holder_t *holder, const hs_leak_evidence_t *match,
                 hs_lab_leak_row_t *row)
{
    const size_t count = match->last + 1 - match->first;
    const double *sizes = holder->alive_bytes + match->first;
    const double share = (double)count / (double)holder->stretches;
    const double mean = hs_leak_sum(sizes, count) / match->old;
    const double spread = fmax(match->variance, hs_leak_variance_ratio(sizes, count, mean));
    band(match->old, match->variance, 1 / share, &row->blocks, &row->blocks_low, &row->blocks_high);
    band(match->old, spread, mean / share, &row->bytes, &row->bytes_low, &row->bytes_high);
}

/* The evidence of a leak grows with the square of the time: its blocks become more and older. */
static double longer(double chance, size_t tested)
{
    const double shown = -log(fmax(fmin(chance, 0.9), 1e-12));
    const double factor = ceil(sqrt(-log(FALSE_SHARE / (double)tested) / shown));
    return fmin(10, fmax(2, factor));
}

static void verdict(const leaks_t *leaks, const hs_leak_evidence_t *match, hs_lab_leak_row_t *row)
{
    const hs_leak_holder_t *holder = &leaks->holder;
    const bool grows = match->testable && match->steady;
    if (grows && match->chance <= leaks->limit) {
        row->verdict = HS_LAB_LEAK_LEAK;
        row->reason = HS_LAB_LEAK_GROWS;
        rate(holder, match, row);
    } else if (holder->stretches < STRETCHES_LEAST) {
        row->reason = HS_LAB_LEAK_SHORT;
    } else if (!(grows && match->chance <= SUSPECT) && hs_leak_returns(holder)) {
        row->verdict = HS_LAB_LEAK_CACHE;
        row->reason = HS_LAB_LEAK_RETURNS;
    } else if (!(grows && match->chance <= SUSPECT) && hs_leak_stopped(holder)) {
        row->verdict = HS_LAB_LEAK_PLATEAU;
        row->reason = HS_LAB_LEAK_STOPPED;
    } else {
        row->reason = HS_LAB_LEAK_OPEN;
        row->longer = longer(match->chance, leaks->tested);
    }
}

static size_t judge(leaks_t *leaks, const hs_leak_question_t *question, hs_lab_leak_row_t *rows,
                    size_t capacity)
{
    const uint64_t events = question->looks[question->look_count - 1] - question->looks[0];
    const bool only_growth = leaks->stayed > EVENTS_OWN * (double)events;
    size_t count = 0;
    if (capacity != 0) {
        find_limit(leaks);
    }
    for (size_t at = 0; at < leaks->count; count++) {
        at = take_holder(leaks, at);
        if (count >= capacity) {
            continue;
        }
        const hs_leak_evidence_t match = hs_leak_evidence(&leaks->holder);
        hs_lab_leak_row_t row = {.chance = match.chance,
                                 .old = match.old,
                                 .ended = match.ended,
                                 .task = leaks->holder.rows->task,
                                 .site = leaks->holder.rows->site,
                                 .verdict = HS_LAB_LEAK_UNKNOWN};
        if (!question->whole || only_growth) {
            row.reason = question->whole ? HS_LAB_LEAK_ONLY_GROWTH : HS_LAB_LEAK_NOT_WHOLE;
        } else {
            verdict(leaks, &match, &row);
        }
        rows[count] = row;
    }
    return count;
}

hs_status_t hs_leaks(const hs_leak_question_t *question, hs_lab_leak_row_t *rows, size_t capacity,
                     size_t *count)
{
    leaks_t leaks = {0};
    const hs_status_t status = collect(&leaks, question);
    *count = status == HS_OK ? judge(&leaks, question, rows, capacity) : 0;
    free(leaks.rows);
    free(leaks.chances);
    free(leaks.tables);
    return status;
}
