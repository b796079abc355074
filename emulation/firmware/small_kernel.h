/*
 * A preemptive kernel for one core: tasks of fixed priorities, equal ones by turns, with semaphores, mutexes that inherit
 * priority, mailboxes and time-outs. Every call is constant or O(tasks); interrupts are masked inside
 * it. From an interrupt: kernel_give(), kernel_post(), kernel_now(), kernel_task_number().
 */
#ifndef FIRMWARE_SMALL_KERNEL_H
#define FIRMWARE_SMALL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KERNEL_TASKS 12u
#define KERNEL_FOREVER UINT32_MAX
#define KERNEL_INTERRUPT KERNEL_TASKS /* the number of what runs in an interrupt */

typedef struct kernel_task kernel_task_t;

typedef struct kernel_semaphore {
    uint32_t count;
} kernel_semaphore_t;

typedef struct kernel_mutex {
    kernel_task_t *owner; /* NULL: nobody */
    uint8_t priority;     /* the owner's before it inherited one */
} kernel_mutex_t;

typedef struct kernel_mailbox {
    void **slots;
    uint32_t size, first, count;
} kernel_mailbox_t;

/* Tells who begins and ends, with interrupts masked. */
void kernel_watch(void (*watcher)(uint32_t number, const char *name, bool begins));

/* A task that begins at once if its priority is above the caller's. Its stack is a block of `allocate`,
 * which is freed when `entry` returns. False: too many tasks, or no memory. */
bool kernel_create(const char *name, void (*entry)(void *argument), void *argument,
                   uint8_t priority, uint32_t stack_size);
/* The kernel takes stacks from these; to be called before the first task. */
void kernel_use(void *(*allocate)(size_t size), void (*release)(void *block));

/* Makes a task of the caller, which then has priority 0 and must never wait, and starts the ticks. */
_Noreturn void kernel_start(void);
uint32_t kernel_task_number(void);         /* of the running task, or KERNEL_INTERRUPT */
void *kernel_task_handle(uint32_t number); /* NULL: no task, but an interrupt */
const char *kernel_task_name(const void *handle);
/* The most that a task ever used of its stack, and its size; both 0: there was no such task. */
uint32_t kernel_stack_used(uint32_t number, uint32_t *size);
bool kernel_in_interrupt(void);
uint32_t kernel_now(void); /* ticks, modulo 2^32 */
void kernel_sleep(uint32_t ticks);

bool kernel_take(kernel_semaphore_t *semaphore, uint32_t ticks); /* false: the time is over */
void kernel_give(kernel_semaphore_t *semaphore);
void kernel_lock(kernel_mutex_t *mutex);
void kernel_unlock(kernel_mutex_t *mutex);
/* False: full, or the time is over. */
bool kernel_post(kernel_mailbox_t *mailbox, void *message);
bool kernel_send(kernel_mailbox_t *mailbox, void *message, uint32_t ticks);
bool kernel_fetch(kernel_mailbox_t *mailbox, void **message, uint32_t ticks);

/* ---- for cpu_*.c ------------------------------------------------------------------------------ */

void kernel_tick(void);            /* in the timer's interrupt */
void *kernel_switch(void *frame);  /* keeps the running task's frame; the frame of the one to run */
extern uint32_t kernel_interrupts; /* handlers that run */

#endif
