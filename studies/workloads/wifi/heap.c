#include "heap.h"

#include "lwip/init.h"
#include "recorder.h"

static hs_rec_t *rec;

bool hs_heap_open(const char *path, const char *config)
{
    rec = hs_rec_open(path, "workloads/wifi (lwIP " LWIP_VERSION_STRING ")", config);
    return rec != NULL;
}

bool hs_heap_close(void)
{
    return hs_rec_close(rec) == HS_OK;
}

void *hs_heap_malloc(size_t size)
{
    return hs_rec_malloc(rec, size);
}

void *hs_heap_calloc(size_t count, size_t size)
{
    return hs_rec_calloc(rec, count, size);
}

void hs_heap_free(void *block)
{
    hs_rec_free(rec, block);
}

void hs_heap_task(const char *name)
{
    hs_rec_task(rec, name);
}

void hs_heap_mark(const char *name)
{
    hs_rec_mark(rec, name);
}

size_t hs_heap_live(void)
{
    return (size_t)hs_rec_use(rec).live;
}

size_t hs_heap_peak(void)
{
    return (size_t)hs_rec_use(rec).peak;
}

void hs_heap_peak_restart(void)
{
    hs_rec_peak_restart(rec);
}
