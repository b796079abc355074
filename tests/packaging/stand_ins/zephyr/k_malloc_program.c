/* k_malloc and its family on the system heap's memory, beside a thread whose pool stays the kernel's. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <zephyr/kernel.h>

#include "heapscope_zephyr.h"

extern struct k_heap _system_heap;
unsigned kernel_depth(void);
void kernel_run(k_tid_t thread, bool interrupt);

static int failed;
static unsigned refused;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("%d: " #condition "\n", __LINE__);                                              \
            failed = 1;                                                                            \
        }                                                                                          \
    } while (0)

void hs_k_malloc_refused(void *block)
{
    (void)block;
    refused++;
}

static bool is_within(const struct k_heap *heap, const void *block)
{
    return (uintptr_t)block - (uintptr_t)heap->heap.init_mem < heap->heap.init_bytes;
}

static void check_family(void)
{
    const size_t at_first = hs_k_malloc_free_size();
    unsigned char *const first = k_malloc(24);
    unsigned char *const second = k_malloc(24);
    CHECK(is_within(&_system_heap, first) && is_within(&_system_heap, second));
    CHECK(second - first == 24); /* no reference to a pool in front of a block */
    memset(first, 7, 24);
    unsigned char *const larger = k_realloc(first, 300);
    CHECK(larger != NULL && larger[0] == 7 && larger[23] == 7);
    unsigned char *const cleared = k_calloc(10, 10);
    CHECK(cleared != NULL && cleared[0] == 0 && memcmp(cleared, cleared + 1, 99) == 0);
    CHECK(k_calloc(SIZE_MAX / 2, 3) == NULL);
    void *const aligned = k_aligned_alloc(128, 40);
    CHECK(aligned != NULL && (uintptr_t)aligned % 128 == 0);
    void *const empty = k_malloc(0);
    CHECK(empty != NULL && empty != aligned);
    CHECK(k_malloc(100000) == NULL && k_malloc(SIZE_MAX) == NULL);
    CHECK(hs_k_malloc_largest() < at_first);
    k_free(NULL);
    CHECK(k_realloc(cleared, 0) == NULL && refused == 0);
    k_free(cleared);
    k_free(larger + 8);
    CHECK(k_realloc(larger + 8, 10) == NULL && refused == 3);
    k_free(larger);
    k_free(second);
    k_free(aligned);
    k_free(empty);
    CHECK(hs_k_malloc_free_size() == at_first);
    CHECK(hs_k_malloc_minimum_free() < at_first - 400);
    CHECK(hs_k_malloc_check(NULL) == HS_OK);
    CHECK(kernel_depth() == 0);
    printf("free %d\n", at_first > 3800);
}

static void check_threads(void)
{
    static _Alignas(8) unsigned char memory[1024];
    struct k_heap pool = {{NULL, memory, sizeof memory}};
    struct k_thread alone = {NULL}, owner = {&pool}, ordinary = {&_system_heap};
    const size_t at_first = hs_k_malloc_free_size();
    kernel_run(&alone, false);
    CHECK(z_thread_aligned_alloc(8, 40) == NULL); /* it has no pool */
    kernel_run(&owner, false);
    void *block = z_thread_aligned_alloc(8, 40);
    CHECK(is_within(&pool, block) && hs_k_malloc_free_size() == at_first);
#if defined(TEST_ZEPHYR_OLD)
    CHECK(k_realloc(block, 50) == NULL);
#else
    void *const moved = k_realloc(block, 50); /* the kernel's own serves it */
    CHECK(is_within(&_system_heap, moved) == (moved != NULL));
#endif
    void *const end = pool.heap.heap;
    k_free(block);
    CHECK(pool.heap.heap != end && refused == 3);
    kernel_run(&ordinary, false);
    block = z_thread_aligned_alloc(16, 40);
    CHECK(is_within(&_system_heap, block) && hs_k_malloc_free_size() < at_first);
    k_free(block);
    kernel_run(&owner, true); /* an interrupt of it asks the system heap */
#if !defined(TEST_ZEPHYR_OLD)
    block = z_thread_malloc(40);
    CHECK(is_within(&_system_heap, block));
    k_free(block);
#endif
    block = z_thread_aligned_alloc(0, 40);
    CHECK(is_within(&_system_heap, block));
    k_free(block);
    CHECK(hs_k_malloc_free_size() == at_first && kernel_depth() == 0);
}

int main(void)
{
    check_family();
    check_threads();
    return failed;
}
