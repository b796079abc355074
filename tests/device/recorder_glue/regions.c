/* Our own regions and heap, recorded by the linker, with snapshots of the regions' blocks. */
#include "heapscope/regions.h"

static _Alignas(64) unsigned char ram[2][40000];

#ifdef WITH_HEAP
static hs_heap_t *heap;
#define TAKE(size) hs_heap_malloc(heap, size)
#define CLEAR(count, size) hs_heap_calloc(heap, count, size)
#define RESIZE(block, size) hs_heap_realloc(heap, block, size)
#define ALIGN(alignment, size) hs_heap_aligned_alloc(heap, alignment, size, 0)
#define GIVE(block) (void)hs_heap_free(heap, block)
#else
static hs_regions_t *set;
#define TAKE(size) hs_regions_malloc(set, size, HS_CAP_8BIT)
#define CLEAR(count, size) hs_regions_calloc(set, count, size, HS_CAP_8BIT)
#define RESIZE(block, size) hs_regions_realloc(set, block, size, HS_CAP_8BIT)
#define ALIGN(alignment, size) hs_regions_aligned_alloc(set, alignment, size, 0, HS_CAP_8BIT)
#define GIVE(block) (void)hs_regions_free(set, block)
#endif

#include "script.h"

#ifdef WITH_HEAP

int main(int argc, char **argv)
{
    heap = hs_heap_create(ram[0], sizeof ram[0], NULL);
    hs_recorder_t *recorder = script_open(argc, argv);
    hs_recorder_heap(recorder, heap);
    play(recorder);
    return 0;
}

#else

/* The file and the set are both contexts of the recorder's functions. */
static FILE *file;

static size_t to_file(void *context, const uint8_t *bytes, size_t count)
{
    (void)context;
    return hs_recorder_file_write(file, bytes, count);
}

int main(int argc, char **argv)
{
    static const hs_memory_t memory = {.name = "ram", .caps = {HS_CAP_8BIT}};
    static const hs_regions_config_t config = {.guard = NULL};
    const hs_region_t table[] = {{.memory = &memory, .start = ram[0], .size = sizeof ram[0]},
                                 {.memory = &memory, .start = ram[1], .size = sizeof ram[1]}};
    set = hs_regions_create(table, 2, &config, NULL, 0);
    hs_recorder_t *recorder = script_open(argc, argv);
    file = recorder_config.context;
    recorder_config.write = to_file;
    recorder_config.context = set;
    recorder_config.walk = hs_recorder_regions_walk;
    recorder_config.region = hs_recorder_regions_region;
    hs_recorder_regions(recorder, set);
    play(recorder);
    return 0;
}

#endif
