/* CHECK and a seeded generator: all that the format tests need of a framework. */
#ifndef HEAPSCOPE_TESTS_FORMAT_CHECK_H
#define HEAPSCOPE_TESTS_FORMAT_CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);              \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define CHECK_EQUAL(wanted, match)                                                                 \
    do {                                                                                           \
        const uint64_t wanted_ = (uint64_t)(wanted);                                               \
        const uint64_t actual_ = (uint64_t)(match);                                                \
        if (wanted_ != actual_) {                                                                  \
            fprintf(stderr, "%s:%d: %s is %" PRIu64 ", not %" PRIu64 "\n", __FILE__, __LINE__,     \
                    #match, actual_, wanted_);                                                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* splitmix64 (Steele, Lea, Flood, 2014): every test is a function of its seed. */
typedef struct check_random {
    uint64_t state;
} check_random_t;

static inline uint64_t check_next(check_random_t *random)
{
    uint64_t value = random->state += UINT64_C(0x9E3779B97F4A7C15);
    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

static inline uint64_t check_below(check_random_t *random, uint64_t limit)
{
    return check_next(random) % limit;
}

/* A number of any length in bits, up to `bits`. */
static inline uint64_t check_log(check_random_t *random, unsigned bits)
{
    const unsigned width = (unsigned)check_below(random, bits + 1u);
    return width == 0 ? 0 : check_next(random) >> (64 - width);
}

/* The seed from the command line or the fixed one; printed, so that a failure can be repeated. */
static inline check_random_t check_start(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : UINT64_C(20240607);
    printf("%s seed %" PRIu64 "\n", argv[0], seed);
    fflush(stdout);
    return (check_random_t){seed};
}

#endif
