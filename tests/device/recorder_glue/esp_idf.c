/* ESP-IDF's interface, in our own drop-in for it, recorded by the linker; and malloc, by whose name a
 * firmware asks for the same memory. */
#include <stdint.h>

#include "esp_heap_caps.h"

#define TAKE(size) heap_caps_malloc(size, MALLOC_CAP_8BIT)
#define CLEAR(count, size) heap_caps_calloc(count, size, MALLOC_CAP_8BIT)
#define RESIZE(block, size) heap_caps_realloc(block, size, MALLOC_CAP_8BIT)
#define ALIGN(alignment, size) heap_caps_aligned_alloc(alignment, size, MALLOC_CAP_8BIT)
#define GIVE(block) heap_caps_free(block)

#include "script.h"

void *heap_caps_malloc_default(size_t size);
void *heap_caps_realloc_default(void *block, size_t size);

int main(int argc, char **argv)
{
    hs_recorder_t *recorder = script_open(argc, argv);
    hs_recorder_esp_idf(recorder);
    play(recorder);
    void *volatile block =
        heap_caps_malloc_prefer(40, 2, MALLOC_CAP_SPIRAM, MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT);
    block = heap_caps_realloc_prefer(block, 80, 2, MALLOC_CAP_SPIRAM, MALLOC_CAP_DEFAULT);
    heap_caps_free(block);
    block = heap_caps_calloc_prefer(2, 20, 1, MALLOC_CAP_DEFAULT);
    heap_caps_free(block);
    block = heap_caps_aligned_calloc(64, 2, 32, MALLOC_CAP_8BIT);
    heap_caps_aligned_free(block);
    block = heap_caps_malloc_default(12);
    block = heap_caps_realloc_default(block, 24);
    heap_caps_free(block);
    block = malloc(9);
    block = realloc(block, 300);
    free(block);
    block = calloc(2, 9);
    free(block);
    hs_recorder_esp_idf(NULL);
    drain(recorder);
    return 0;
}
