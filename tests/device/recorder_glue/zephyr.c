/* Zephyr's heap by its listeners, on a heap with the same calls. */
#include <zephyr/sys/sys_heap.h>

#include "recorder_zephyr.h"

static struct sys_heap heap;

#define TAKE(size) sys_heap_alloc(&heap, size)
#define CLEAR(count, size) sys_heap_alloc(&heap, (count) * (size))
#define RESIZE(block, size) sys_heap_realloc(&heap, block, size)
#define ALIGN(alignment, size) sys_heap_aligned_alloc(&heap, alignment, size)
#define GIVE(block) sys_heap_free(&heap, block)

#include "script.h"

static HS_RECORDER_ZEPHYR(listened, HEAP_ID_FROM_POINTER(&heap));

int main(int argc, char **argv)
{
    hs_recorder_t *recorder = script_open(argc, argv);
    hs_recorder_zephyr(recorder);
    hs_recorder_zephyr_heap(&listened);
    play(recorder);
    hs_recorder_zephyr(NULL);
    return 0;
}
