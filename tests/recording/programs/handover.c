/* A block goes from one thread to another inside the first one's call of free. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

extern sem_t handover_freed, handover_taken;
void handover_want(void);

static void *taker(void *argument)
{
    (void)argument;
    handover_want();
    void *volatile block = malloc(64);
    sem_post(&handover_taken); /* only now does the other thread's free return */
    free(block);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    sem_init(&handover_freed, 0, 0);
    sem_init(&handover_taken, 0, 0);
    void *volatile block = malloc(64);
    pthread_create(&thread, NULL, taker, NULL);
    free(block);
    pthread_join(thread, NULL);
    return 0;
}
