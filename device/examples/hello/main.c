/* One heap on an array: blocks, figures, and what it refuses. */
#include "../board.h"
#include "heapscope/heap.h"

static _Alignas(64) uint8_t memory[8192];

static void say(const char *what, size_t value)
{
    hs_text_column(BOARD, what, 24);
    hs_text_number(BOARD, value, 6);
    hs_text_string(BOARD, "\n");
}

int main(void)
{
    hs_heap_t *const heap = hs_heap_create(memory, sizeof memory, NULL);
    if (heap == NULL) {
        return 1;
    }
    say("free at first", hs_heap_free_size(heap));

    char *const greeting = hs_heap_malloc(heap, 20);
    uint32_t *const table = hs_heap_calloc(heap, 100, sizeof *table);
    void *const buffer = hs_heap_aligned_alloc(heap, 64, 1000, 0);
    if (greeting == NULL || table == NULL || buffer == NULL) {
        return 1;
    }
    say("three blocks, free", hs_heap_free_size(heap));
    say("usable of 20", hs_heap_usable_size(heap, greeting));
    say("address modulo 64", (uintptr_t)buffer % 64);
    say("largest possible", hs_heap_largest(heap));
    say("4000 would fit", hs_heap_fits(heap, 8, 4000, 0));
    say("7000 would fit", hs_heap_fits(heap, 8, 7000, 0));

    (void)hs_heap_free(heap, table);
    say("freed twice: refused", hs_heap_free(heap, table) == HS_ERR_ARGUMENT);
    say("inside a block: refused", hs_heap_free(heap, greeting + 8) == HS_ERR_ARGUMENT);
    (void)hs_heap_free(heap, greeting);
    (void)hs_heap_free(heap, buffer);
    say("free at last", hs_heap_free_size(heap));
    say("least ever free", hs_heap_minimum_free(heap));
    say("sound", hs_heap_check(heap, NULL) == HS_OK);
    return 0;
}
