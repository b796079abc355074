/* A pool for each connection, which ends with it; and messages from a pool of fixed blocks. */
#include "../board.h"
#include "heapscope/fixed.h"
#include "heapscope/pool.h"

static _Alignas(8) uint8_t memory[16384];
static _Alignas(8) uint8_t message_memory[1200];

static void *take(void *context, size_t size)
{
    return hs_heap_malloc(context, size);
}

static void give(void *context, void *block, size_t size)
{
    (void)size;
    (void)hs_heap_free(context, block);
}

int main(void)
{
    hs_heap_t *const heap = hs_heap_create(memory, sizeof memory, NULL);
    const hs_source_t source = {take, give, heap};
    hs_pools_t pools;
    hs_pools_init(&pools, source, NULL, NULL);

    hs_pool_t *const first = hs_pool_create(&pools, "connection 1", 1000, 500);
    hs_pool_t *const second = hs_pool_create(&pools, "connection 2", 1000, 500);
    if (first == NULL || second == NULL) {
        return 1;
    }
    for (size_t i = 0; i < 30; i++) {
        (void)hs_pool_alloc(first, 20 + i);
        (void)hs_pool_alloc(second, 8);
    }
    hs_pools_dump(&pools, BOARD);
    (void)hs_pool_release(&pools, first); /* all its blocks at once */
    hs_pools_dump(&pools, BOARD);

    hs_fixed_t *const messages =
        hs_fixed_create(message_memory, sizeof message_memory, 100, 8, "messages");
    uint32_t count = 0;
    void *last = NULL;
    for (void *message; (message = hs_fixed_alloc(messages)) != NULL; count++) {
        last = message;
    }
    (void)hs_fixed_free(messages, last);
    hs_fixed_dump(messages, BOARD);
    hs_pools_release_all(&pools);
    hs_text_string(BOARD, "bytes of pools: ");
    hs_text_number(BOARD, pools.allocated, 0);
    hs_text_string(BOARD, "\n");
    return count != 0 && hs_heap_check(heap, NULL) == HS_OK ? 0 : 1;
}
