/* CHECK and a seeded generator: all that the model tests need of a framework. */
#ifndef HEAPSCOPE_TESTS_MODELS_CHECK_H
#define HEAPSCOPE_TESTS_MODELS_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* One of so many rounds is made where a round costs a hundred times as much: in emulation. */
#ifndef CHECK_THIN
#define CHECK_THIN 1
#endif

#ifndef CHECK_FAILED /* a fuzz target aborts, so that its input is kept */
#define CHECK_FAILED exit(1)
#endif

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not true: %s: ", __FILE__, __LINE__, #condition);              \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
            CHECK_FAILED;                                                                          \
        }                                                                                          \
    } while (0)

/* xorshift64*: every test is a function of its seed. */
typedef struct check_random {
    uint64_t state;
} check_random_t;

static inline uint32_t check_next(check_random_t *random)
{
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return (uint32_t)((random->state * UINT64_C(2685821657736338717)) >> 32);
}

static inline uint32_t check_below(check_random_t *random, uint32_t limit)
{
    return check_next(random) % limit;
}

/* So many rounds, thinned. */
static inline int check_rounds(int rounds)
{
    return rounds < CHECK_THIN ? 1 : rounds / CHECK_THIN;
}

/* The seed from the command line or the fixed one; printed, so that a failure can be repeated. */
static inline check_random_t check_start(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : UINT64_C(20240607);
    check_random_t random = {seed * 2 + 1};
    printf("%s seed %llu\n", argv[0], (unsigned long long)seed);
    return random;
}

#endif
