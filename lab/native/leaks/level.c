#include "leaks/level.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "leaks/tails.h"

/* Growth that goes on looks like growth that stopped so often, at most, where it is a plateau. */
#define STOPPED 0.05
/* Steady growth looks like one that slows down so often, at most. */
#define SLOWS 0.01

/* Blocks that are live at each look, the first and the last included, or their bytes, into `births`. */
static const double *levels_of(const hs_leak_holder_t *holder, bool bytes)
{
    const size_t size = (holder->stretches + 1) * sizeof *holder->births;
    memcpy(holder->births, bytes ? holder->alive_bytes : holder->alive, size);
    for (size_t i = 0; i < holder->count; i++) {
        const hs_lab_life_row_t *row = &holder->rows[i];
        if (row->freed != HS_LAB_STAYS && row->freed != 0) { /* 0: over before the interval began */
            const double change = (double)(bytes ? row->bytes : row->blocks);
            holder->births[row->born] += change;
            holder->births[row->freed] -= change;
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

/* The lowest level from this look on. */
static double low_of(const double *levels, size_t from, size_t last)
{
    double low = levels[from];
    for (size_t look = from; look <= last; look++) {
        low = fmin(low, levels[look]);
    }
    return low;
}

/* The levels before the last third, of which the start's are left out, into `gone`, ascending; returns their number. */
static size_t before_of(const hs_leak_holder_t *holder, const double *levels)
{
    const size_t n = holder->stretches, start = (n + 15) / 16, count = n - n / 3 - start;
    memcpy(holder->gone, levels + start, count * sizeof *holder->gone);
    qsort(holder->gone, count, sizeof *holder->gone, ascending);
    return count;
}

/* In the last third it was as low as before, and what came at the end was there before, too. */
static bool returns(const hs_leak_holder_t *holder, bool bytes)
{
    const size_t n = holder->stretches;
    const double *levels = levels_of(holder, bytes), *before = holder->gone;
    const size_t count = before_of(holder, levels);
    return low_of(levels, n - n / 3, n) <= (before[(count - 1) / 2] + before[count / 2]) / 2 &&
           low_of(levels, n - n / 16, n) <= before[count - 1];
}

bool hs_leak_returns(const hs_leak_holder_t *holder)
{
    const size_t cut = holder->stretches - holder->stretches / 3;
    double frees = 0;
    for (size_t i = 0; i < holder->count; i++) {
        const hs_lab_life_row_t *row = &holder->rows[i];
        frees += row->freed != HS_LAB_STAYS && row->freed >= cut ? (double)row->blocks : 0;
    }
    return frees > 0 && returns(holder, false) && returns(holder, true);
}

/* The growth of the lows of what is live, by stretch, into `gone`; returns the last low. */
static double growth_of(const hs_leak_holder_t *holder, bool bytes)
{
    const size_t n = holder->stretches;
    const double *levels = levels_of(holder, bytes);
    double low = levels[n];
    const double last = low;
    for (size_t look = n; look > 0; look--) {
        const double before = fmin(levels[look - 1], low);
        holder->gone[look - 1] = low - (look == 1 ? 0 : before);
        low = before;
    }
    return last;
}

static bool stopped(const hs_leak_holder_t *holder, bool bytes)
{
    const size_t n = holder->stretches, third = n / 3;
    growth_of(holder, bytes);
    const double *growth = holder->gone, sum = hs_leak_sum(growth, n);
    const double unit = bytes ? sum / holder->blocks : 1;
    if (sum <= 0) {
        return false;
    }
    size_t reached = n;
    while (growth[reached - 1] == 0) {
        reached--;
    }
    const double number = sum / unit / hs_leak_variance_ratio(growth, n, unit);
    const double late = hs_leak_sum(growth + n - third, third);
    const bool fades =
        hs_tail_poisson_at_most(late * number / sum, number / 3) <= STOPPED / 10 && late <= sum / 6;
    return fades || pow((double)reached / (double)n, fmax(1, number)) <= STOPPED;
}

bool hs_leak_stopped(const hs_leak_holder_t *holder)
{
    return stopped(holder, false) &&
           (holder->larger || returns(holder, true) || stopped(holder, true));
}

bool hs_leak_take_larger(hs_leak_holder_t *holder)
{
    const size_t n = holder->stretches;
    if (n < HS_LAB_LEAK_STRETCHES || holder->blocks < HS_LEAK_OLD_LEAST ||
        !returns(holder, false)) {
        return false;
    }
    const double *levels = levels_of(holder, true);
    if (low_of(levels, n - n / 3, n) <= holder->gone[before_of(holder, levels) - 1]) {
        return false;
    }
    growth_of(holder, true);
    const double unit = hs_leak_sum(holder->gone, n) / holder->blocks;
    holder->alive[0] = holder->alive_bytes[0] = 0;
    for (size_t stretch = 1; stretch <= n; stretch++) {
        holder->alive_bytes[stretch] = holder->gone[stretch - 1];
        holder->alive[stretch] = holder->gone[stretch - 1] / unit;
    }
    holder->count = 0;
    holder->larger = holder->kept = true;
    return true;
}

bool hs_leak_fills(const hs_leak_holder_t *holder, double *bound)
{
    const size_t half = holder->stretches / 2;
    const double level = growth_of(holder, false), *growth = holder->gone;
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
