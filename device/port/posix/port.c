/*
 * Linux and other POSIX systems: one recursive mutex. It is held over fork(), so that a child finds
 * every heap whole. Not for signal handlers, where a mutex may not be taken.
 */
#define _XOPEN_SOURCE 700
#include <pthread.h>
#include <stddef.h>
#include <time.h>

#include "heapscope/port.h"

static pthread_mutex_t mutex;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void hold(void)
{
    (void)pthread_mutex_lock(&mutex);
}

static void release(void)
{
    (void)pthread_mutex_unlock(&mutex);
}

/* The child has but one thread, that which called fork and holds the mutex; its own number has
 * changed, so it could not unlock a recursive one. */
static void make(void)
{
    pthread_mutexattr_t kind;
    (void)pthread_mutexattr_init(&kind);
    (void)pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    (void)pthread_mutex_init(&mutex, &kind);
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
    return pthread_mutex_lock(&mutex) == 0;
}

void hs_port_leave(void)
{
    (void)pthread_mutex_unlock(&mutex);
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
