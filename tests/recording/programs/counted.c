/* counted FILE THREADS: threads that allocate and free until they are killed, sizes counting up from
 * 1, and count in FILE the calls that have returned to them: 8 bytes for each. After a kill a
 * recording must have the calls that the file counts, whenever the kill came. */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define THREADS_MAX 16

static volatile uint64_t *returned;

static void *work(void *argument)
{
    const int number = (int)(intptr_t)argument;
    char name[16];
    snprintf(name, sizeof name, "worker %d", number);
    prctl(PR_SET_NAME, (unsigned long)name, 0, 0, 0);
    for (uint64_t i = 1;; i++) {
        void *block = malloc((size_t)(i & 0xFFFF));
        returned[number] = 2 * i - 1;
        free(block);
        returned[number] = 2 * i;
    }
    return NULL;
}

int main(int count, char **arguments)
{
    const int threads = count == 3 ? atoi(arguments[2]) : 0;
    const int file = threads < 1 || threads > THREADS_MAX ? -1 : open(arguments[1], O_RDWR);
    returned = mmap(NULL, THREADS_MAX * 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (returned == MAP_FAILED) {
        return 1;
    }
    pthread_t thread;
    for (int i = 0; i < threads; i++) {
        pthread_create(&thread, NULL, work, (void *)(intptr_t)i);
    }
    pthread_join(thread, NULL);
    return 0;
}
