/* A firmware for ESP-IDF's target linux. Each request has a size that only it has. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *heap_caps_malloc(size_t, uint32_t);
void *heap_caps_malloc_prefer(size_t, size_t, ...);
void *heap_caps_realloc(void *, size_t, uint32_t);
void heap_caps_free(void *);

void *pvPortMalloc(size_t size)
{
    return heap_caps_malloc(size, 0x804);
}

void vPortFree(void *block)
{
    heap_caps_free(block);
}

void make_task(size_t); /* in another file */

int main(void)
{
    make_task(201);
    void *packet = heap_caps_realloc(heap_caps_malloc(202, 0x08), 203, 0x400);
    void *line = heap_caps_malloc_prefer(204, 2, 0x400, 0x800);
    char *text = strdup("nine and forty and the zero: a text of 50 letters");
    void *node = realloc(malloc(205), 206);
    FILE *file = fopen("/dev/null", "w"); /* the host's own requests */
    setvbuf(file, NULL, _IOFBF, 3001);
    fprintf(file, "%s", text);
    fclose(file);
    free(node);
    free(text);
    free(line);
    free(packet);
    return 0;
}
