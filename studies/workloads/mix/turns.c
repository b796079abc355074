#include "turns.h"

#define STACK_BYTES (1u << 20) /* of a thread: a script's calls nest */

struct hs_turns {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    hs_turns_task_t *tasks;
    unsigned count, current, left;
};

/* With the mutex held: the turn goes to the next task that is not done, in at most `count` steps. */
static void hand_on(hs_turns_t *turns)
{
    for (unsigned step = 0; step < turns->count; step++) {
        turns->current = (turns->current + 1) % turns->count;
        if (!turns->tasks[turns->current].done) {
            break;
        }
    }
    pthread_cond_broadcast(&turns->changed);
}

static void await_turn(hs_turns_task_t *task)
{
    hs_turns_t *turns = task->turns;
    while (turns->current != task->number) { /* every task passes its turn on, or ends */
        pthread_cond_wait(&turns->changed, &turns->mutex);
    }
}

/* The mutex is held by whoever has the turn, and let go of only in waiting. */
static void *run_task(void *argument)
{
    hs_turns_task_t *task = argument;
    pthread_mutex_lock(&task->turns->mutex);
    await_turn(task);
    task->run(task);
    task->done = true;
    task->turns->left--;
    hand_on(task->turns);
    pthread_mutex_unlock(&task->turns->mutex);
    return NULL;
}

void hs_turns_pass(hs_turns_task_t *task)
{
    hand_on(task->turns);
    await_turn(task);
}

unsigned hs_turns_left(const hs_turns_task_t *task)
{
    return task->turns->left;
}

static unsigned start_all(hs_turns_t *turns)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstacksize(&attributes, STACK_BYTES) != 0) {
        return 0;
    }
    unsigned started = 0;
    for (; started < turns->count; started++) {
        hs_turns_task_t *task = &turns->tasks[started];
        task->turns = turns;
        task->number = started;
        task->done = false;
        if (pthread_create(&task->thread, &attributes, run_task, task) != 0) {
            break;
        }
    }
    pthread_attr_destroy(&attributes);
    return started;
}

int hs_turns_run(hs_turns_task_t *tasks, unsigned count)
{
    hs_turns_t turns = {.tasks = tasks, .count = count, .left = count};
    pthread_mutex_init(&turns.mutex, NULL);
    pthread_cond_init(&turns.changed, NULL);
    pthread_mutex_lock(&turns.mutex); /* nobody runs before all are there */
    unsigned started = start_all(&turns);
    for (unsigned i = started; i < count; i++) {
        tasks[i].done = true;
        turns.left--;
    }
    pthread_mutex_unlock(&turns.mutex);
    for (unsigned i = 0; i < started; i++) {
        pthread_join(tasks[i].thread, NULL);
    }
    pthread_cond_destroy(&turns.changed);
    pthread_mutex_destroy(&turns.mutex);
    return started == count ? 0 : -1;
}
