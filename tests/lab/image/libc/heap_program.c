/* Allocates and frees at random, keeps a table of what lives, and waits. */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LIVE 96

volatile uint32_t done;
struct {
    unsigned char *at;
    uint32_t size;
} live[LIVE];
uint32_t arena, used, unused;
static uint32_t state = 1;

static unsigned char memory[24 * 1024] __attribute__((aligned(8)));
static unsigned char *heap_end = memory;

void *_sbrk(int size)
{
    if (heap_end + size > memory + sizeof memory) {
        return (void *)-1;
    }
    unsigned char *const before = heap_end;
    heap_end += size;
    return before;
}
void *sbrk(int size)
{
    return _sbrk(size);
}

static uint32_t drawn(uint32_t count)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % count;
}

int main(void)
{
    memset(memory, 0x3c, sizeof memory);
    for (int step = 0; step < 900; step++) {
        const uint32_t index = drawn(LIVE);
        if (live[index].at != NULL) {
            free(live[index].at);
            live[index].at = NULL;
            continue;
        }
        const uint32_t size = drawn(8) == 0 ? 1 + drawn(900) : 1 + drawn(80);
        unsigned char *const at = drawn(10) == 0 ? memalign(32, size) : malloc(size);
        if (at != NULL) {
            memset(at, (int)drawn(256), size);
            live[index].at = at;
            live[index].size = size;
        }
    }
    const struct mallinfo info = mallinfo();
    arena = info.arena;
    used = info.uordblks;
    unused = info.fordblks;
    done = 1;
    for (;;) {
    }
}
