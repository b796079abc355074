#include "leaks/tails.h"

#include <math.h>

double hs_tail_normal_above(double z)
{
    return 0.5 * erfc(z / sqrt(2));
}

static double width_of(double mean)
{
    return ceil(12 * sqrt(mean)) + 50;
}

/* The lowest count whose term is looked at: past the mean and as far again. */
static double floor_of(double most, double width)
{
    return fmax(0, most - 2 * width);
}

double hs_tail_poisson_at_most(double count, double mean)
{
    const double most = ceil(count);
    if (mean <= 0 || most > mean + width_of(mean)) {
        return 1;
    }
    double term = most * log(mean) - mean - lgamma(most + 1); /* its logarithm */
    double total = exp(term);
    for (double below = most; below > floor_of(most, width_of(mean)); below--) {
        term += log(below / mean);
        total += exp(term);
    }
    return fmin(1, total);
}

double hs_tail_binomial_at_most(double count, double number)
{
    const double tries = floor(number), most = ceil(count);
    if (most >= tries || most > tries * HS_LEAK_POOL_FREES + width_of(tries)) {
        return 1;
    }
    const double odds = (1 - HS_LEAK_POOL_FREES) / HS_LEAK_POOL_FREES;
    double term = lgamma(tries + 1) - lgamma(most + 1) - lgamma(tries - most + 1) +
                  most * log(HS_LEAK_POOL_FREES) + (tries - most) * log(1 - HS_LEAK_POOL_FREES);
    double total = exp(term);
    for (double below = most; below > floor_of(most, width_of(tries)); below--) {
        term += log(below * odds / (tries - below + 1));
        total += exp(term);
    }
    return fmin(1, total);
}
