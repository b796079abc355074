/*
 * Tails of distributions. Each takes time in proportion to the root of its count: terms that are
 * farther than twelve deviations from the mean do not count.
 */
#ifndef HEAPSCOPE_LEAKS_TAILS_H
#define HEAPSCOPE_LEAKS_TAILS_H

/* A pool frees at least so many of its old blocks for each that it makes: a third of old events. */
#define HS_LEAK_POOL_FREES (1.0 / 3.0)

/* The chance that a normal variable is above `z` deviations. */
double hs_tail_normal_above(double z);
/* The chance of at most `count` events where `mean` are expected. `count` is rounded up. */
double hs_tail_poisson_at_most(double count, double mean);
/* The chance of at most `count` frees in `number` old events, were a pool's share of them frees. */
double hs_tail_binomial_at_most(double count, double number);

#endif
