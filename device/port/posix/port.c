/*
 * Linux and other POSIX systems: recursive mutexes, one for each region and one more. All are held over
 * fork(), so that a child finds every heap whole. Not for signal handlers, where a mutex may not be taken.
 */
#define _XOPEN_SOURCE 700
#include <pthread.h>
#include <stddef.h>
#include <time.h>

#include "heapscope/config.h"
#include "heapscope/port.h"

#define MUTEXES (HS_LOCK_COUNT + 1)
#define OWN HS_LOCK_COUNT /* of hs_port_enter() */

static pthread_mutex_t mutex[MUTEXES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void take(uint32_t lock)
{
    (void)pthread_mutex_lock(&mutex[lock]);
}

static void give(uint32_t lock)
{
    (void)pthread_mutex_unlock(&mutex[lock]);
}

/* The set's before those of regions, as everywhere. */
static void hold(void)
{
    take(HS_LOCK_SET);
    for (uint32_t i = 0; i < MUTEXES; i++) {
        if (i != HS_LOCK_SET) {
            take(i);
        }
    }
}

static void release(void)
{
    for (uint32_t i = 0; i < MUTEXES; i++) {
        give(i);
    }
}

/* The child has but one thread, that which called fork and holds the mutexes; its own number has
 * changed, so it could not unlock recursive ones. */
static void make(void)
{
    pthread_mutexattr_t kind;
    (void)pthread_mutexattr_init(&kind);
    (void)pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    for (uint32_t i = 0; i < MUTEXES; i++) {
        (void)pthread_mutex_init(&mutex[i], &kind);
    }
    (void)pthread_mutexattr_destroy(&kind);
}

static void start(void)
{
    make();
    (void)pthread_atfork(hold, release, make);
}

bool hs_port_enter(void)
{
    (void)pthread_once(&once, start);
    return pthread_mutex_lock(&mutex[OWN]) == 0;
}

void hs_port_leave(void)
{
    give(OWN);
}

void hs_port_lock(void *context)
{
    (void)context;
    (void)hs_port_enter();
}

void hs_port_unlock(void *context)
{
    (void)context;
    hs_port_leave();
}

void hs_port_lock_region(void *context, uint32_t lock)
{
    (void)context;
    (void)pthread_once(&once, start);
    take(lock);
}

void hs_port_unlock_region(void *context, uint32_t lock)
{
    (void)context;
    give(lock);
}

bool hs_port_in_interrupt(void)
{
    return false;
}

uint32_t hs_port_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)((uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u);
}

/* Each thread's own byte: an address that no other living thread has. */
void *hs_port_task(void *context)
{
    static _Thread_local char own;
    (void)context;
    return &own;
}

const char *hs_port_task_name(void *task)
{
    (void)task;
    return NULL;
}
