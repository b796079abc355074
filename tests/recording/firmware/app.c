/* A firmware on a host: it asks its own heaps, and now and then the C library's. Each request has a
 * size that only it has. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *pvPortMalloc(size_t);
void *pvPortCalloc(size_t, size_t);
void vPortFree(void *);
void *heap_caps_malloc(size_t, uint32_t);
void *heap_caps_calloc(size_t, size_t, uint32_t);
void *heap_caps_realloc(void *, size_t, uint32_t);
void *heap_caps_aligned_alloc(size_t, size_t, uint32_t);
void heap_caps_free(void *);
void *lv_malloc(size_t);
void lv_free(void *);
void *in_the_same_file(size_t);
void *my_take(size_t);
void my_give(void *);

static int state = 1; /* the scheduler does not run yet */
static _Thread_local char *task_name;

long xTaskGetSchedulerState(void)
{
    return state;
}

char *pcTaskGetName(void *task)
{
    if (state != 2 || task != NULL) {
        abort(); /* as the kernel would */
    }
    return task_name;
}

static void *network(void *nothing)
{
    task_name = "net rx";
    void *packet = heap_caps_malloc(1701, 0x1804);
    packet = heap_caps_realloc(packet, 1702, 0x0C);
    void *table = heap_caps_calloc(11, 100, 0x04);
    void *line = heap_caps_aligned_alloc(64, 1703, 0x08);
    heap_caps_free(packet);
    heap_caps_free(table);
    heap_caps_free(line);
    return nothing;
}

int main(void)
{
    free(malloc(4001));
    void *early = pvPortMalloc(101);
    task_name = "main task";
    state = 2;
    pthread_t thread;
    pthread_create(&thread, NULL, network, NULL);
    pthread_join(thread, NULL);
    void *late = pvPortMalloc(102);
    if (pvPortMalloc(60001) == NULL || pvPortMalloc(60002) != NULL) {
        return 2;
    }
    vPortFree(NULL);
    vPortFree(early);
    vPortFree(late);
    vPortFree(pvPortCalloc(2, 53));
    if (pvPortCalloc(SIZE_MAX, 2) != NULL) {
        return 3;
    }
    lv_free(lv_malloc(103));
    (void)in_the_same_file(104);
    my_give(my_take(105));
    free(malloc(4002));
    return 0;
}
