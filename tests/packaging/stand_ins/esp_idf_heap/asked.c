/*
 * The program asks for all that call sites of ESP-IDF ask for, on a chip that standard input describes: `m NAME CAPS CAPS CAPS` a
 * memory, `a OUTSIDE FLAG ALIGNMENT` a rule of the hardware, `x PART CAPS CAPS CAPS` external memory, which
 * joins later, `t PART` the memory of the real-time clock, whose executable blocks have addresses of the
 * instruction bus from 5.2 on, and `c CAPS ALIGNMENT MEMORIES` a request, the memories that may serve it
 * being a bit each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "esp_heap_caps.h"
#include "esp_heap_caps_init.h"
#include "layout_of_chip.h"
#include "sdk.h"

static int wrong;
static uintptr_t clock_start;

static const void *data_address(const void *block)
{
    const uintptr_t offset = (uintptr_t)block - SDK_CLOCK_CODE;
    return clock_start != 0 && offset < sdk_clock_size ? (const void *)(clock_start + offset)
                                                       : block;
}

static void check(const char *how, const void *block, size_t size, unsigned caps,
                  unsigned alignment, unsigned memories)
{
    const int part = block == NULL ? -1 : layout_part_of(data_address(block));
    const size_t whole = (size + alignment - 1) / alignment * alignment;
    const char *match = NULL;
    if ((block != NULL) != (memories != 0)) {
        match = block != NULL ? "memory that is none" : "no memory";
    } else if (block != NULL && (part < 0 || (memories >> part & 1u) == 0)) {
        match = "another memory";
    } else if (block != NULL && (uintptr_t)block % alignment != 0) {
        match = "not aligned";
    } else if (block != NULL && heap_caps_get_allocated_size((void *)block) < whole) {
        match = "not rounded";
    } else if (ESP_IDF >= 502 && block != NULL && data_address(block) == block &&
               (caps & 1u) != 0 && (uintptr_t)block - clock_start < sdk_clock_size) {
        match = "the data's address";
    }
    if (match != NULL) {
        printf("%s: 0x%x: %s: %p\n", how, caps, match, block);
        wrong++;
    }
}

static void request(unsigned caps, unsigned alignment, unsigned memories)
{
    void *block = heap_caps_malloc(100, caps);
    check("malloc", block, 100, caps, alignment, memories);
    if (block != NULL) {
        block = heap_caps_realloc(block, 300, caps);
        check("realloc", block, 300, caps, alignment, memories);
    }
    heap_caps_free(block);
    if ((caps & 1u) == 0) {
        uint32_t *const clear = heap_caps_calloc(10, 10, caps);
        check("calloc", clear, 100, caps, alignment, memories);
        if (clear != NULL && clear[24] != 0) {
            printf("calloc: 0x%x: not clear\n", caps);
            wrong++;
        }
        heap_caps_free(clear);
    }
    block = heap_caps_malloc_prefer(100, 1, (uint32_t)caps);
    check("prefer", block, 100, caps, alignment, memories);
    heap_caps_free(block);
}

int main(void)
{
    char line[256];
    char name[64];
    unsigned part, a, b, c;
    int requests = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (sscanf(line, "m %63s %u %u %u", name, &a, &b, &c) == 4) {
            layout_add(strdup(name), (const uint32_t[3]){a, b, c});
        } else if (sscanf(line, "a %u %u %u", &a, &b, &c) == 3) {
            sdk_alignment[a][b] = c;
        } else if (sscanf(line, "t %u", &a) == 1) {
            sdk_clock_memory = layout_memory(a, &sdk_clock_size);
            clock_start = (uintptr_t)sdk_clock_memory;
        } else if (sscanf(line, "x %u %u %u %u", &part, &a, &b, &c) == 4) {
            sdk_external = layout_memory(part, &sdk_external_size);
            memcpy(sdk_external_caps, (const uint32_t[3]){a, b, c}, sizeof sdk_external_caps);
        } else if (sscanf(line, "c %u %u %u", &a, &b, &c) == 3) {
            if (requests++ == 0) {
                sdk_start();
                heap_caps_enable_nonos_stack_heaps();
            }
            request(a, b, c);
        }
    }
    if (!heap_caps_check_integrity_all(true)) {
        printf("corrupt\n");
        wrong++;
    }
    printf("%d requests, %d wrong, %u bytes\n", requests, wrong,
           (unsigned)heap_caps_get_total_size(0));
    return wrong != 0;
}
