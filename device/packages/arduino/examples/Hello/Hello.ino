/* A heap of 4 KB: two blocks, what is free, and a free that is refused. */
#include <Heapscope.h>

alignas(8) static unsigned char memory[4096];
static hs_heap_t *heap;

static void show(const char *what, size_t bytes)
{
    Serial.print(what);
    Serial.println((unsigned long)bytes);
}

void setup()
{
    Serial.begin(115200);
    heap = hs_heap_create(memory, sizeof memory, nullptr);
    show("free: ", hs_heap_free_size(heap));
    void *name = hs_heap_malloc(heap, 24);
    void *packet = hs_heap_malloc(heap, 1460);
    show("with two blocks: ", hs_heap_free_size(heap));
    hs_heap_free(heap, packet);
    const bool refused = hs_heap_free(heap, packet) == HS_ERR_ARGUMENT;
    show("a second free is refused: ", refused);
    hs_heap_free(heap, name);
    show("free again: ", hs_heap_free_size(heap));
}

void loop() {}
