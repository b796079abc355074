/*
 * multi_heap.h reports faults: addresses that are not blocks, and, as far as blocks carry marks,
 * writes where nothing may be written. And it takes the lock that it was given.
 */
#include "small_heap.h"

/* ---- addresses that are not blocks, and writes where nothing may be written ------------------- */

static void check_misuse(void)
{
    multi_heap_handle_t heap = open_small(0);
    uint8_t *const block = multi_heap_malloc(heap, 100);
    multi_heap_free(heap, NULL);
    CHECK(esp_faults() == 0, "NULL is a fault");
    multi_heap_free(heap, block + 8);
    CHECK(esp_faults() == 1, "freeing inside of a block is not reported");
    multi_heap_free(heap, block + 4);
    CHECK(esp_faults() == 1, "freeing inside of a block is not reported");
    CHECK(multi_heap_realloc(heap, block + 8, 10) == NULL && esp_faults() == 1, "realloc there");
    multi_heap_free(heap, &heap);
    CHECK(esp_faults() == 1, "freeing what is elsewhere is not reported");
    CHECK(multi_heap_get_allocated_size(heap, block + 8) == 0, "a size inside of a block");
    CHECK(multi_heap_find_containing_block(heap, block + 99) == block, "not its block");
    CHECK(multi_heap_find_containing_block(heap, small + SMALL - 200) == NULL && esp_faults() == 1,
          "a block in free memory");
    multi_heap_free(heap, block);
    CHECK(esp_faults() == 0, "a fault");
    multi_heap_free(heap, block);
    CHECK(esp_faults() == 1, "freeing twice is not reported");
    sound(heap);
    CHECK(multi_heap_malloc(NULL, 4) == NULL && multi_heap_free_size(NULL) == 0 &&
              !multi_heap_check(NULL, false),
          "no heap");
    multi_heap_free(NULL, block);
}

static void check_canaries(void)
{
#if GUARDED
    const multi_heap_handle_t heap = open_small(0);
    uint32_t *const block = multi_heap_malloc(heap, 4);
    static const int places[] = {-2, -1, 1};
    for (size_t i = 0; i < 3; i++) {
        const uint32_t kept = block[places[i]];
        block[places[i]] = 0xDEADBEEF;
        CHECK(!multi_heap_check(heap, i == 0), "word %d is not checked", places[i]);
        block[places[i]] = kept;
        sound(heap);
    }
    const uint32_t kept = block[1];
    block[1] ^= 1;
    multi_heap_free(heap, block);
    CHECK(esp_faults() == 1, "freeing an overflown block is not reported");
    block[1] = kept;
    multi_heap_free(heap, block);
    CHECK(esp_faults() == 0, "a fault");
#endif
}

/* Free memory may be written to, unless it is filled. */
static void check_filling(void)
{
    const multi_heap_handle_t heap = open_small(0);
    uint8_t *const block = multi_heap_malloc(heap, 256);
    void *const barrier = multi_heap_malloc(heap, 16);
    CHECK(barrier != NULL, "no place");
    multi_heap_free(heap, block);
    for (size_t i = 32; i < 240; i++) {
        block[i] ^= 0x55;
#if defined(CONFIG_HEAP_POISONING_COMPREHENSIVE)
        CHECK(!multi_heap_check(heap, i == 32), "byte %zu is not checked", i);
#else
        sound(heap);
#endif
        block[i] ^= 0x55;
        sound(heap);
    }
}

/* ---- the lock --------------------------------------------------------------------------------- */

static size_t depth, taken;
static void *lock_of_heap;

void heapscope_esp_lock(void *lock)
{
    CHECK(lock == lock_of_heap, "another lock");
    depth++;
    taken++;
}

void heapscope_esp_unlock(void *lock)
{
    CHECK(lock == lock_of_heap && depth > 0, "another lock");
    depth--;
}

static bool go_on(void *block, size_t size, int used, void *user_data)
{
    (void)size;
    (void)used;
    (void)user_data;
    return block != NULL;
}

static void check_lock(void)
{
    const multi_heap_handle_t heap = open_small(0);
    multi_heap_free(heap, multi_heap_malloc(heap, 4));
    CHECK(taken == 0, "a lock before there is one");
    lock_of_heap = &depth;
    multi_heap_set_lock(heap, lock_of_heap);
    size_t expected = 0;
#define LOCKED(call)                                                                               \
    (call);                                                                                        \
    CHECK(taken > expected && depth == 0, "no lock in " #call);                                    \
    expected = taken
    void *block;
    LOCKED(block = multi_heap_malloc(heap, 100));
    LOCKED(block = multi_heap_realloc(heap, block, 50));
    LOCKED(multi_heap_get_allocated_size(heap, block));
    LOCKED(multi_heap_get_full_block_size(heap, block));
    LOCKED(multi_heap_find_containing_block(heap, block));
    LOCKED(multi_heap_free(heap, block));
    LOCKED(block = multi_heap_aligned_alloc(heap, 10, 64));
    LOCKED(block = multi_heap_aligned_alloc_offs(heap, 10, 64, 8));
    LOCKED(multi_heap_free_size(heap));
    LOCKED(multi_heap_reset_minimum_free_bytes(heap));
    LOCKED(multi_heap_restore_minimum_free_bytes(heap, 100));
    LOCKED(multi_heap_minimum_free_size(heap));
    multi_heap_info_t info;
    LOCKED(multi_heap_get_info(heap, &info));
    LOCKED(multi_heap_walk(heap, go_on, NULL));
    LOCKED(multi_heap_check(heap, true));
    LOCKED(multi_heap_dump(heap));
}

int main(void)
{
    check_misuse();
    check_canaries();
    check_filling();
    check_lock();
    return 0;
}
