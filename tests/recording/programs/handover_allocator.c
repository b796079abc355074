/* An allocator whose free does not return before another thread has got the block that it gave
 * back: what a real one does once in a million times. One size, one block at a time. */
#include <semaphore.h>
#include <stddef.h>

void *__libc_malloc(size_t);
void __libc_free(void *);

static _Alignas(16) char the_block[64];
static _Thread_local int wants_it;
sem_t handover_freed, handover_taken;

void handover_want(void)
{
    wants_it = 1;
}

void *malloc(size_t size)
{
    if (size != 64) {
        return __libc_malloc(size);
    }
    if (wants_it) {
        sem_wait(&handover_freed);
    }
    return the_block;
}

void free(void *block)
{
    if (block != the_block) {
        __libc_free(block);
    } else if (!wants_it) {
        sem_post(&handover_freed);
        sem_wait(&handover_taken);
    }
}
