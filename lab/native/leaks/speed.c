#include "leaks/speed.h"

#include <math.h>

#include "leaks/tails.h"

#define BAND_TAIL 0.025 /* of a band, on each side */

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

void hs_leak_speed(const hs_leak_holder_t *holder, const hs_leak_evidence_t *match,
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
