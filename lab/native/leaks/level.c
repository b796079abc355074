#include "leaks/level.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "leaks/tails.h"

/* Growth that goes on looks like growth that stopped so often, at most, where it is a plateau. */
#define STOPPED 0.05
/* Steady growth looks like one that slows down so often, at most. */
#define SLOWS 0.01

/* Blocks that are live at each look, the first and the last included, into `births`. */
static const double *levels_of(const hs_leak_holder_t *holder)
{
    const size_t size = (holder->stretches + 1) * sizeof *holder->births;
    memcpy(holder->births, holder->alive, size);
    for (size_t i = 0; i < holder->count; i++) {
        const hs_lab_life_row_t *row = &holder->rows[i];
        if (row->freed != HS_LAB_STAYS && row->freed != 0) { /* 0: over before the interval began */
            holder->births[row->born] += (double)row->blocks;
            holder->births[row->freed] -= (double)row->blocks;
        }
    }
    for (size_t look = 1; look <= holder->stretches; look++) {
        holder->births[look] += holder->births[look - 1];
    }
    return holder->births;
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

bool hs_leak_returns(const hs_leak_holder_t *holder)
{
    const size_t n = holder->stretches, start = (n + 15) / 16, cut = n - n / 3;
    const double *levels = levels_of(holder);
    double frees = 0, low = levels[cut];
    for (size_t i = 0; i < holder->count; i++) {
        const hs_lab_life_row_t *row = &holder->rows[i];
        frees += row->freed != HS_LAB_STAYS && row->freed >= cut ? (double)row->blocks : 0;
    }
    for (size_t look = cut; look <= n; look++) {
        low = fmin(low, levels[look]);
    }
    double *before = holder->gone;
    const size_t count = cut - start;
    memcpy(before, levels + start, count * sizeof *before);
    qsort(before, count, sizeof *before, ascending);
    return frees > 0 && low <= (before[(count - 1) / 2] + before[count / 2]) / 2;
}

/* The growth of the lows of what is live, by stretch, into `gone`; returns the last low. */
static double growth_of(const hs_leak_holder_t *holder)
{
    const size_t n = holder->stretches;
    const double *levels = levels_of(holder);
    double low = levels[n];
    const double last = low;
    for (size_t look = n; look > 0; look--) {
        const double before = fmin(levels[look - 1], low);
        holder->gone[look - 1] = low - (look == 1 ? 0 : before);
        low = before;
    }
    return last;
}

bool hs_leak_stopped(const hs_leak_holder_t *holder)
{
    const size_t n = holder->stretches, third = n / 3;
    growth_of(holder);
    const double *growth = holder->gone, sum = hs_leak_sum(growth, n);
    if (sum <= 0) {
        return false;
    }
    size_t reached = n;
    while (growth[reached - 1] == 0) {
        reached--;
    }
    const double number = sum / hs_leak_variance_ratio(growth, n, 1);
    const double late = hs_leak_sum(growth + n - third, third);
    const bool fades =
        hs_tail_poisson_at_most(late * number / sum, number / 3) <= STOPPED / 10 && late <= sum / 6;
    return fades || pow((double)reached / (double)n, fmax(1, number)) <= STOPPED;
}

bool hs_leak_fills(const hs_leak_holder_t *holder, double *bound)
{
    const size_t half = holder->stretches / 2;
    const double level = growth_of(holder), *growth = holder->gone;
    /* The first stretch is left out: what is there when the interval begins did not come in it. */
    const double first = hs_leak_sum(growth + 1, half),
                 second = hs_leak_sum(growth + 1 + half, half - 1);
    if (half < 4 || second <= 0 || first <= second) {
        return false;
    }
    const double variance = hs_leak_variance_ratio(growth + 1, 2 * half - 1, 1);
    const double sum = first + second, z = (first - second) / sqrt(sum * variance);
    *bound = level + second * second / (first - second);
    return hs_tail_normal_above(z) <= SLOWS;
}

double hs_leak_reached(const hs_leak_holder_t *holder)
{
    size_t reached = holder->stretches;
    while (reached > 0 && holder->alive[reached] == 0) {
        reached--;
    }
    return (double)reached / (double)holder->stretches;
}
