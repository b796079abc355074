/* A private heap for a library to run on, with what it was told of requests that did not fit. */
#ifndef HEAPSCOPE_TESTS_ADAPTERS_HEAP_UNDER_TEST_H
#define HEAPSCOPE_TESTS_ADAPTERS_HEAP_UNDER_TEST_H

#include <string.h>

#include "../../models/check.h"
#include "heapscope/private.h"

typedef struct heap_under_test {
    hs_private_t *heap;
    void *memory;
    uint32_t reported; /* of requests that did not fit */
    hs_private_failure_t failure;
} heap_under_test_t;

static inline bool heap_full(void *context, const hs_private_failure_t *failure)
{
    heap_under_test_t *test = context;
    CHECK(failure->size > failure->largest, "%zu do not fit into %zu", failure->size,
          failure->largest);
    test->reported++;
    test->failure = *failure;
    return false;
}

static inline void heap_open_locked(heap_under_test_t *test, const char *name, size_t size,
                                    void (*lock)(void *), void (*unlock)(void *))
{
    *test = (heap_under_test_t){.memory = malloc(size)};
    CHECK(test->memory != NULL, "no memory");
    memset(test->memory, 0xE5, size); /* nothing is zero by chance */
    const hs_private_config_t config = {.name = name,
                                        .size = size,
                                        .memory = test->memory,
                                        .lock = lock,
                                        .unlock = unlock,
                                        .full = heap_full,
                                        .context = test};
    test->heap = hs_private_create(&config);
    CHECK(test->heap != NULL, "no heap in %zu bytes", size);
}

static inline void heap_open(heap_under_test_t *test, const char *name, size_t size)
{
    heap_open_locked(test, name, size, NULL, NULL);
}

static inline hs_private_info_t heap_figures(const heap_under_test_t *test)
{
    hs_private_info_t info;
    CHECK(hs_private_check(test->heap) == HS_OK, "the heap contradicts itself");
    hs_private_info(test->heap, &info);
    CHECK(info.misuse == 0, "%u frees or reallocs of no block", (unsigned)info.misuse);
    CHECK(info.failures == test->reported, "told of %u failures of %u", (unsigned)test->reported,
          (unsigned)info.failures);
    return info;
}

static inline void put(void *context, char character)
{
    fputc(character, context);
}

static inline void heap_print(const heap_under_test_t *test)
{
    hs_private_meminfo(test->heap, (hs_text_t){put, stdout});
}

/* With every block given back by the library. */
static inline void heap_close(heap_under_test_t *test)
{
    hs_private_info_t info = heap_figures(test);
    CHECK(info.blocks == 0 && info.used == 0, "%u blocks are left", (unsigned)info.blocks);
    hs_private_destroy(test->heap);
    free(test->memory);
}

#endif
