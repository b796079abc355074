/* Tails are those of a plain sum of all terms, and take no longer where blocks are many. */
#include "../models/check.h"
#include "leaks/evidence.h"
#include "leaks/tails.h"

#include <math.h>

static uint32_t state;

static double chance(double below)
{
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 8) / (1 << 24) * below;
}

static double poisson(double count, double mean)
{
    double sum = 0;
    for (double k = 0; k <= count; k++) {
        sum += exp(k * log(mean) - mean - lgamma(k + 1));
    }
    return fmin(1, sum);
}

static double binomial(double count, double number)
{
    double sum = 0;
    for (double k = 0; k <= count; k++) {
        sum += exp(lgamma(number + 1) - lgamma(k + 1) - lgamma(number - k + 1) +
                   k * log(HS_LEAK_POOL_FREES) + (number - k) * log(1 - HS_LEAK_POOL_FREES));
    }
    return fmin(1, sum);
}

static bool close_to(double reported, double plain)
{
    return fabs(reported - plain) <= 1e-6 * plain;
}

int main(void)
{
    for (int i = 0; i < 400; i++) {
        state = (uint32_t)i;
        const double mean = pow(10, chance(5) - 1), away = (chance(8) - 4) * sqrt(mean);
        const double count = i % 3 == 0 ? 0 : floor(i % 3 == 1 ? mean / 3 : fmax(0, mean + away));
        const double reported = hs_tail_poisson_at_most(count, mean);
        CHECK(close_to(reported, poisson(count, mean)), "%d: %g of %g: %g", i, count, mean,
              reported);
        const double number = floor(1 + chance(600)), few = floor(chance(number + 1));
        const double frees = hs_tail_binomial_at_most(few, number);
        CHECK(close_to(frees, binomial(few, number)), "%d: %g of %g: %g", i, few, number, frees);
    }
    /* Each tail of a band once summed as many terms as blocks stayed: this would take hours. */
    const double many = 1e10;
    const double half = hs_tail_poisson_at_most(many, many);
    CHECK(fabs(half - 0.5) < 1e-3, "%g", half);
    CHECK(hs_tail_binomial_at_most(many / 3 - 1e7, many) < 1e-9, "far below");
    CHECK(hs_tail_poisson_at_most(many + 1e8, many) == 1, "far above");
    CHECK(fabs(hs_tail_normal_above(1.959964) - 0.025) < 1e-6, "two deviations");
    return 0;
}
