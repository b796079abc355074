/*
 * The malloc family under other names beside the C library's own: sizes, alignment of any object,
 * errno, and what each standard says of 0, of overflow and of addresses that are not blocks.
 */
#include <errno.h>
#include <string.h>

#include "../../models/check.h"
#include "heapscope_libc.h"
#include "names.h"

static void *refused;

void hs_libc_refused(void *block)
{
    refused = block;
}

static bool is_aligned(const void *block, size_t alignment)
{
    return (uintptr_t)block % alignment == 0;
}

static void check_alignment(void)
{
    void *blocks[64];
    const size_t before = hs_libc_free_size();
    CHECK(before > 30000, "%zu bytes", before);
    for (size_t i = 0; i < 64; i++) {
        blocks[i] = i % 3 == 0   ? my_malloc(i)
                    : i % 3 == 1 ? my_calloc(1, i)
                                 : my_realloc(my_malloc(1), i);
        CHECK(blocks[i] != NULL && is_aligned(blocks[i], _Alignof(max_align_t)), "%p of %zu bytes",
              blocks[i], i);
        CHECK(my_malloc_usable_size(blocks[i]) >= i, "%zu of %zu", my_malloc_usable_size(blocks[i]),
              i);
        memset(blocks[i], 0xFF, my_malloc_usable_size(blocks[i]));
    }
    for (size_t i = 0; i < 64; i++) {
        my_free(blocks[i]);
    }
    CHECK(hs_libc_free_size() == before, "%zu of %zu", hs_libc_free_size(), before);
    CHECK(hs_libc_minimum_free() < before, "%zu", hs_libc_minimum_free());
    CHECK(hs_libc_check(NULL) == HS_OK, "damaged");
}

static void check_nothing(void)
{
    void *const one = my_malloc(0);
    void *const other = my_calloc(0, 5);
    CHECK(one != NULL && other != NULL && one != other, "a block of no bytes is a block");
    errno = 7;
    CHECK(my_realloc(one, 0) == NULL && errno == 7, "realloc to nothing frees");
    my_free(other);
    my_free(NULL);
    CHECK(my_malloc_usable_size(NULL) == 0 && errno == 7, "NULL is taken for a block");
    CHECK(refused == NULL, "NULL is nothing wrong");
}

static void check_no_memory(void)
{
    static const size_t large[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX - 15, 1000000};
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        errno = 0;
        CHECK(my_malloc(large[i]) == NULL && errno == ENOMEM, "%zu bytes", large[i]);
        errno = 0;
        CHECK(my_calloc(1, large[i]) == NULL && errno == ENOMEM, "%zu bytes", large[i]);
        errno = 0;
        CHECK(my_aligned_alloc(64, large[i]) == NULL && errno == ENOMEM, "%zu bytes", large[i]);
    }
    char *const block = my_malloc(10);
    strcpy(block, "unchanged");
    errno = 0;
    CHECK(my_realloc(block, 1000000) == NULL && errno == ENOMEM, "realloc");
    errno = 0;
    CHECK(my_reallocarray(block, SIZE_MAX / 2, 3) == NULL && errno == ENOMEM, "overflow");
    errno = 0;
    CHECK(my_calloc(SIZE_MAX / 2, 3) == NULL && errno == ENOMEM, "overflow");
    CHECK(strcmp(block, "unchanged") == 0, "%s", block);
    char *const larger = my_reallocarray(block, 100, 30);
    CHECK(larger != NULL && strcmp(larger, "unchanged") == 0, "%s", larger);
    errno = 9;
    my_free(larger);
    CHECK(errno == 9, "free leaves errno alone");
}

static void check_aligned(void)
{
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        void *const block = my_aligned_alloc(alignment, 24);
        CHECK(block != NULL && is_aligned(block, alignment), "%p at %zu", block, alignment);
        void *const other = my_memalign(alignment, 1);
        CHECK(other != NULL && is_aligned(other, alignment), "%p at %zu", other, alignment);
        void *third = block;
        const int result = my_posix_memalign(&third, alignment, 100);
        if (alignment < sizeof(void *)) {
            CHECK(result == EINVAL && third == block, "posix_memalign at %zu", alignment);
        } else {
            CHECK(result == 0 && third != block && is_aligned(third, alignment), "%p at %zu", third,
                  alignment);
            my_free(third);
        }
        my_free(block);
        my_free(other);
    }
    errno = 0;
    CHECK(my_aligned_alloc(24, 24) == NULL && errno == EINVAL, "24 is taken for an alignment");
    errno = 0;
    void *left = &left;
    CHECK(my_posix_memalign(&left, 24, 24) == EINVAL && errno == 0 && left == &left, "24");
    CHECK(my_posix_memalign(&left, 0, 24) == EINVAL && left == &left, "0");
    CHECK(my_posix_memalign(&left, 64, 1000000) == ENOMEM && errno == 0 && left == &left, "errno");
}

static void check_refusals(void)
{
    char *const block = my_malloc(100);
    static uint64_t foreign[4];
    my_free(foreign);
    CHECK(refused == foreign, "a foreign address");
    my_free(block + 8);
    CHECK(refused == block + 8, "an interior address");
    errno = 0;
    CHECK(my_realloc(foreign, 10) == NULL && errno == EINVAL, "realloc of no block");
    refused = NULL;
    my_free(block);
    CHECK(refused == NULL, "a good one");
    my_free(block);
    CHECK(refused == block, "freed before");
    CHECK(hs_libc_check(NULL) == HS_OK, "damaged");
}

/* More memory while the program runs: blocks lie in either, and move from one to the other. */
static void check_more_memory(void)
{
    static uint64_t more[20000 / 8];
    const size_t before = hs_libc_free_size();
    void *const all = my_malloc(hs_libc_largest());
    CHECK(all != NULL && my_malloc(10000) == NULL, "not all");
    CHECK(hs_libc_give(more, sizeof more) == HS_OK, "not taken");
    CHECK(hs_libc_give(more + 100, 800) == HS_ERR_ARGUMENT, "it overlaps");
    CHECK(hs_libc_give(&(char[8]){0}, 8) == HS_ERR_MEMORY, "too small");
    unsigned char *const block = my_malloc(10000);
    CHECK((uintptr_t)block - (uintptr_t)more < sizeof more, "%p", (void *)block);
    for (size_t i = 0; i < 10000; i++) {
        block[i] = (unsigned char)(i * 7);
    }
    my_free(all);
    unsigned char *const moved = my_realloc(block, 25000);
    CHECK(moved != NULL && (uintptr_t)moved - (uintptr_t)more >= sizeof more, "%p", (void *)moved);
    for (size_t i = 0; i < 10000; i++) {
        CHECK(moved[i] == (unsigned char)(i * 7), "byte %zu", i);
    }
    my_free(moved);
    CHECK(hs_libc_free_size() > before + 19000, "%zu", hs_libc_free_size());
}

int main(void)
{
    check_alignment();
    check_nothing();
    check_no_memory();
    check_aligned();
    check_refusals();
    check_more_memory();
    return 0;
}
