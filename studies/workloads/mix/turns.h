/*
 * Tasks of a device in one process: threads of which only one runs at a time, and passes the turn on
 * when it says so. The order depends on the tasks alone, so that it is the same in each run.
 */
#ifndef HEAPSCOPE_WORKLOADS_MIX_TURNS_H
#define HEAPSCOPE_WORKLOADS_MIX_TURNS_H

#include <pthread.h>
#include <stdbool.h>

#define HS_TURNS_MAX 4

typedef struct hs_turns hs_turns_t;

typedef struct hs_turns_task {
    void (*run)(struct hs_turns_task *task);
    void *context; /* the caller's */
    /* The rest is hs_turns_run's. */
    hs_turns_t *turns;
    unsigned number;
    bool done;
    pthread_t thread;
} hs_turns_task_t;

/* Runs all tasks until the last of them returns, the first one first. 0, or -1: no threads. */
int hs_turns_run(hs_turns_task_t *tasks, unsigned count);

/* Called by the running task: the others that are not done have their turns, in order. */
void hs_turns_pass(hs_turns_task_t *task);

/* How many tasks have not returned. */
unsigned hs_turns_left(const hs_turns_task_t *task);

#endif
