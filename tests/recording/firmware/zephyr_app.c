#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

void *k_malloc(size_t);
void k_free(void *);
void *k_heap_aligned_alloc(void *, size_t, size_t, long long);
void k_heap_free(void *, void *);
void thread_name_set(const char *);

static void *network(void *nothing)
{
    thread_name_set("net rx");
    k_free(k_malloc(301));
    void *block = k_heap_aligned_alloc(&block, 64, 302, 0);
    k_heap_free(&block, block);
    return nothing;
}

__attribute__((visibility("default"))) int run_firmware(void)
{
    free(malloc(4001));
    thread_name_set("main");
    (void)k_malloc(303);
    pthread_t thread;
    pthread_create(&thread, NULL, network, NULL);
    pthread_join(thread, NULL);
    return k_malloc(100000) == NULL ? 0 : 1;
}
