/* The heap of this process, recorded: lwIP's and the driver's. */
#ifndef HEAPSCOPE_WIFI_HEAP_H
#define HEAPSCOPE_WIFI_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* `path`: of the trace. */
bool hs_heap_open(const char *path, const char *config);
bool hs_heap_close(void);

void *hs_heap_malloc(size_t size);
void *hs_heap_calloc(size_t count, size_t size);
void hs_heap_free(void *block);

void hs_heap_task(const char *name); /* whose what follows is */
void hs_heap_mark(const char *name);

/* Bytes asked for: now, and the most since hs_heap_peak_restart. */
size_t hs_heap_live(void);
size_t hs_heap_peak(void);
void hs_heap_peak_restart(void);

#endif
