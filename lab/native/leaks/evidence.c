#include "leaks/evidence.h"

#include <math.h>
#include <string.h>

#include "leaks/tails.h"

/* Share of the interval in which a program may fill what it keeps. */
#define STARTUP (1.0 / 32)
/* A pool's blocks are freed after so many intervals on average, at the latest. */
#define POOL_LIFE 2.0
/* A pool whose growth fades falls to exp(-FADES) of its first rate within the interval. Where most blocks stay it may
 * be one that takes twice the interval to fill. A leak keeps few of many: there the pools are left out that only more
 * blocks could tell from it, as FADES_OF_FEW over the root of their number says. */
#define FADES_MOST 3.0
#define FADES_LEAST 0.5
#define FADES_OF_FEW 20
/* Counts are taken to be no more even than this: the variance as a multiple of Poisson's. */
#define EVEN 0.1
/* Blocks of a stretch, on average: with fewer even counts are uneven, as they are whole. */
#define EVEN_LEAST 3
/* Old blocks of a leak that are freed all the same, at most. */
#define FREED_MOST 0.05
/* Steady growth is taken for one that fades or has stopped at most so often, each. */
#define UNSTEADY 0.0005
#define SLOWS 0.002 /* for one that fades */

/* Ages from which a block is old, in shares of the interval. */
static const double ages[] = {1.0 / 32, 1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2};

double hs_leak_sum(const double *counts, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += counts[i];
    }
    return sum;
}

/* The squares of the second differences of neighbours as a multiple of Poisson's; counts of stretches so wide. */
static double bends_of(const double *counts, size_t count, size_t width)
{
    double before = 0, last = 0, bends = 0, sums = 0;
    for (size_t i = 0; i < count / width; i++) {
        const double here = hs_leak_sum(counts + i * width, width);
        bends += i < 2 ? 0 : (here - 2 * last + before) * (here - 2 * last + before);
        sums += i < 2 ? 0 : here + 4 * last + before;
        before = last;
        last = here;
    }
    return bends / fmax(sums, 1);
}

/* Two deviations of a ratio of so many stretches. */
static double tolerance(size_t wide)
{
    return 2 * sqrt(2 / (double)(wide - 2));
}

double hs_leak_variance_ratio(const double *counts, size_t count, double unit)
{
    double match = 1;
    for (size_t width = 1; width <= 4; width *= 2) {
        const size_t wide = count / width;
        if (wide >= 8) {
            match = fmax(match, bends_of(counts, count, width) / unit / (1 + tolerance(wide)));
        }
    }
    return match;
}

/* The same below 1: blocks that come in step with the axis are more even than a Poisson process, as far as stretches
 * with enough blocks show it. */
static double evenness(const double *counts, size_t count)
{
    const double sum = hs_leak_sum(counts, count);
    double match = EVEN;
    for (size_t width = 1; width <= 4; width *= 2) {
        const size_t wide = count / width;
        if (wide < 8 || sum < EVEN_LEAST * (double)wide) {
            match = width == 4 ? 1 : match;
            continue;
        }
        match = fmax(match, bends_of(counts, count, width) * (1 + tolerance(wide)));
    }
    return fmin(1, match);
}

double hs_leak_independent(const hs_leak_holder_t *holder)
{
    const size_t n = holder->stretches;
    double *births = holder->births, match = 1;
    if (holder->blocks < HS_LEAK_OLD_LEAST) {
        return holder->blocks;
    }
    memcpy(births, holder->alive, (n + 1) * sizeof *births);
    for (size_t i = 0; i < holder->count; i++) {
        const hs_lab_life_row_t *row = &holder->rows[i];
        births[row->born] += row->freed == HS_LAB_STAYS ? 0 : (double)row->blocks;
    }
    for (size_t width = 1; width <= 4; width *= 2) {
        match = fmax(match, bends_of(births + 1, n, width) * (1 + tolerance(n / width)));
    }
    return hs_leak_sum(births + 1, n) / match;
}

/* Where the counts lie on average, from 0 to 1; `back`: from their end. */
static double place_of(const double *counts, size_t count, bool back)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += counts[back ? count - 1 - i : i] * (((double)i + 0.5) / (double)count);
    }
    return sum / hs_leak_sum(counts, count);
}

/* The chance that births whose rate fades by exp(-`by`) come as late as these. */
static double fades(const double *alive, size_t count, double variance, double by, bool back)
{
    const double number = hs_leak_sum(alive, count) / variance, rest = exp(-by);
    if (number == 0) {
        return 1;
    }
    const double mean = 1 / by - rest / (1 - rest);
    const double deviation = sqrt(1 / (by * by) - rest / ((1 - rest) * (1 - rest)));
    const double place = place_of(alive, count, back);
    return hs_tail_normal_above((place - mean) / deviation * sqrt(number));
}

/* At one moment many blocks went, and of those born before hardly one is left. */
static bool emptied(const hs_leak_holder_t *holder, double rate, size_t first)
{
    double left = holder->alive[first];
    memset(holder->gone, 0, (holder->stretches + 1) * sizeof *holder->gone);
    for (size_t i = 0; i < holder->count; i++) {
        const hs_lab_life_row_t *row = &holder->rows[i];
        if (row->freed != HS_LAB_STAYS && row->born >= first && row->born + 1 < row->freed) {
            holder->gone[row->freed] += (double)row->blocks;
        }
    }
    for (size_t moment = first + 2; moment <= holder->stretches; moment++) {
        const double expected = rate * (double)(moment - first);
        left += holder->alive[moment - 1];
        if (expected >= 6 && holder->gone[moment] >= expected / 2 && left < 0.3 * expected) {
            return true;
        }
    }
    return false;
}

/* Growth goes on to the end as strongly as before, and nothing emptied the holder. */
static bool is_steady(const hs_leak_holder_t *holder, const hs_leak_evidence_t *match)
{
    const double *alive = holder->alive + match->first;
    const size_t count = match->last + 1 - match->first;
    const double number = match->old / match->variance;
    if (number == 0) {
        return false;
    }
    const double place = place_of(alive, count, false);
    size_t reached = count;
    while (alive[reached - 1] == 0) {
        reached--;
    }
    const bool slows = hs_tail_normal_above((0.5 - place) * sqrt(12 * number)) < SLOWS;
    const bool stopped = pow((double)reached / (double)count, number) < UNSTEADY;
    return !slows && !stopped && !emptied(holder, match->old / (double)count, match->first);
}

/* False: with this age there is too little to tell. */
static bool at_age(const hs_leak_holder_t *holder, size_t age, hs_leak_evidence_t *out)
{
    const size_t n = holder->stretches, first = 1 + (size_t)ceil(STARTUP * (double)n);
    if (n < age + first + HS_LEAK_OLD_LEAST) {
        return false; /* a block that is born behind `last` is not old yet */
    }
    const size_t last = n - age, count = last + 1 - first;
    double exposure = 0, turned = 0;
    hs_leak_evidence_t match = {.first = first, .last = last, .testable = true};
    memset(holder->births, 0, (n + 1) * sizeof *holder->births);
    memset(holder->gone, 0, (n + 1) * sizeof *holder->gone);
    for (size_t i = first; i <= last; i++) {
        holder->births[i] = holder->alive[i];
        exposure += holder->alive[i] * ((double)(n - age - i) + 0.5);
    }
    for (size_t i = 0; i < holder->count; i++) {
        const hs_lab_life_row_t *row = &holder->rows[i];
        /* A block from before the interval is as old as the interval, at the least. */
        const size_t born = row->born == 0 ? 1 : row->born;
        if (row->freed == HS_LAB_STAYS || row->freed < born + age || row->blocks == 0) {
            continue;
        }
        if (row->born < first) {
            turned += holder->gone[row->freed] == 0;
            holder->gone[row->freed] = 1;
        } else if (row->born <= last) {
            match.ended += (double)row->blocks;
            holder->births[row->born] += (double)row->blocks;
            exposure += (double)row->blocks * (double)(row->freed - row->born - age);
        }
    }
    match.old = hs_leak_sum(holder->alive + first, count);
    const double built = match.old + match.ended;
    if (built < HS_LEAK_OLD_LEAST) {
        return false;
    }
    const double variance = hs_leak_variance_ratio(holder->births + first, count, 1);
    const double even = variance * evenness(holder->births + first, count);
    const double few = FADES_OF_FEW / sqrt(match.old / even);
    const double ahead = holder->kept ? FADES_LEAST : fmax(FADES_LEAST, fmin(FADES_MOST, few));
    exposure /= POOL_LIFE * (double)n;
    match.variance = variance;
    match.chance = fmax(
        fmax(hs_tail_poisson_at_most(match.ended / variance, exposure / variance),
             hs_tail_binomial_at_most(match.ended / variance + turned, built / variance + turned)),
        fmax(fades(holder->alive + first, count, even, ahead, false),
             fades(holder->alive + first, count, even, FADES_MOST, true)));
    match.steady = match.ended <= FREED_MOST * built && is_steady(holder, &match);
    *out = match;
    return true;
}

hs_leak_evidence_t hs_leak_evidence(const hs_leak_holder_t *holder)
{
    hs_leak_evidence_t match = {.chance = 1, .variance = 1};
    size_t before = 0;
    if (holder->blocks < HS_LEAK_OLD_LEAST) {
        return match;
    }
    for (size_t i = 0; i < sizeof ages / sizeof ages[0]; i++) {
        const size_t age = (size_t)fmax(2, nearbyint(ages[i] * (double)holder->stretches));
        if (age != before && at_age(holder, age, &match) &&
            match.ended <= FREED_MOST * (match.old + match.ended)) {
            break;
        }
        before = age;
    }
    return match;
}
