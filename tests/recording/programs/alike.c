/* Three threads of one name that live at the same time, and then three more, one after the other. */
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t barrier;

static void *together(void *size)
{
    pthread_setname_np(pthread_self(), "worker");
    (void)pthread_barrier_wait(&barrier);
    for (int i = 0; i < 10; i++) {
        free(malloc((size_t)size));
    }
    (void)pthread_barrier_wait(&barrier);
    return NULL;
}

static void *alone(void *size)
{
    pthread_setname_np(pthread_self(), "one by one");
    free(malloc((size_t)size));
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    (void)pthread_barrier_init(&barrier, NULL, 3);
    for (size_t i = 0; i < 3; i++) {
        (void)pthread_create(&threads[i], NULL, together, (void *)(1001 + i));
    }
    for (size_t i = 0; i < 3; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    for (size_t i = 0; i < 3; i++) {
        (void)pthread_create(&threads[0], NULL, alone, (void *)(2001 + i));
        (void)pthread_join(threads[0], NULL);
    }
    return 0;
}
