#include "small_kernel.h"

#include <string.h>

#include "cpu.h"

#define PAINT 0xA5 /* the bytes of a new stack */

typedef enum state { FREE, READY, WAITING } state_t;

struct kernel_task {
    void *frame;
    void *stack;
    uint32_t stack_size;
    uint32_t used; /* of its stack, when it ended */
    const char *name;
    const void *waits_for; /* an object, or the task itself while it sleeps */
    uint32_t until;        /* the tick at which it stops waiting */
    uint32_t turn;         /* when it was last chosen to run */
    bool forever;
    bool late; /* it stopped waiting because the time was over */
    uint8_t priority;
    uint8_t state;
};

/* The first is the idle task, which before is the start of all. */
static kernel_task_t tasks[KERNEL_TASKS] = {{.name = "start"}};
static kernel_task_t *running = &tasks[0];
static uint32_t ticks_gone;
static void
    *ended_stack; /* of a task that ended; freed by the next task that is created or idles */
static void *(*allocate)(size_t size);
static void (*release)(void *block);
static void (*watcher)(uint32_t number, const char *name, bool begins);
uint32_t kernel_interrupts;

void kernel_use(void *(*allocate_)(size_t size), void (*release_)(void *block))
{
    allocate = allocate_;
    release = release_;
}

void kernel_watch(void (*watcher_)(uint32_t number, const char *name, bool begins))
{
    watcher = watcher_;
}

static void tell(const kernel_task_t *task, bool begins)
{
    if (watcher != NULL) {
        watcher((uint32_t)(task - tasks), task->name, begins);
    }
}

/* ---- which task runs --------------------------------------------------------------------------- */

/* The ready task of the highest priority; of equal ones that which has waited longest. */
static kernel_task_t *choose(void)
{
    static uint32_t turns;
    kernel_task_t *best = &tasks[0];
    for (uint32_t i = 1; i < KERNEL_TASKS; i++) {
        kernel_task_t *const task = &tasks[i];
        if (task->state == READY &&
            (task->priority > best->priority ||
             (task->priority == best->priority && (int32_t)(task->turn - best->turn) < 0))) {
            best = task;
        }
    }
    best->turn = ++turns;
    return best;
}

void *kernel_switch(void *frame)
{
    running->frame = frame;
    running = choose();
    return running->frame;
}

static void make_ready(kernel_task_t *task, bool late)
{
    task->late = late;
    task->waits_for = NULL;
    task->state = READY;
    if (task->priority > running->priority) {
        cpu_request_switch();
    }
}

/* Interrupts are masked, and are not for a moment. False: the time is over. */
static bool wait_for(const void *object, uint32_t ticks, uint32_t *mask)
{
    if (ticks == 0) {
        return false;
    }
    kernel_task_t *const self = running;
    self->waits_for = object;
    self->forever = ticks == KERNEL_FOREVER;
    self->until = ticks_gone + ticks;
    self->state = WAITING;
    cpu_request_switch();
    cpu_restore(*mask);
    *mask = cpu_mask();
    return !self->late;
}

/* The waiting task of the highest priority goes on. */
static void wake(const void *object)
{
    kernel_task_t *best = NULL;
    for (uint32_t i = 0; i < KERNEL_TASKS; i++) {
        kernel_task_t *const task = &tasks[i];
        if (task->state == WAITING && task->waits_for == object &&
            (best == NULL || task->priority > best->priority)) {
            best = task;
        }
    }
    if (best != NULL) {
        make_ready(best, false);
    }
}

void kernel_tick(void)
{
    ticks_gone++;
    for (uint32_t i = 0; i < KERNEL_TASKS; i++) {
        kernel_task_t *const task = &tasks[i];
        if (task->state == WAITING && !task->forever && (int32_t)(ticks_gone - task->until) >= 0) {
            make_ready(task, true);
        }
    }
    cpu_request_switch(); /* equal priorities by turns */
}

uint32_t kernel_now(void)
{
    return ticks_gone;
}

bool kernel_in_interrupt(void)
{
    return kernel_interrupts != 0;
}

uint32_t kernel_task_number(void)
{
    return kernel_in_interrupt() ? KERNEL_INTERRUPT : (uint32_t)(running - tasks);
}

void *kernel_task_handle(uint32_t number)
{
    return number < KERNEL_TASKS ? &tasks[number] : NULL;
}

const char *kernel_task_name(const void *handle)
{
    return ((const kernel_task_t *)handle)->name;
}

/* ---- tasks ------------------------------------------------------------------------------------- */

static void free_ended(void)
{
    const uint32_t mask = cpu_mask();
    void *const stack = ended_stack;
    ended_stack = NULL;
    cpu_restore(mask);
    if (stack != NULL) {
        release(stack);
    }
}

/* Bytes that were ever used of a stack that was painted. */
static uint32_t used_of(const kernel_task_t *task)
{
    uint32_t unused = 0;
    while (unused < task->stack_size && ((const uint8_t *)task->stack)[unused] == PAINT) {
        unused++;
    }
    return task->stack_size - unused;
}

uint32_t kernel_stack_used(uint32_t number, uint32_t *size)
{
    const kernel_task_t *const task = &tasks[number];
    *size = task->stack_size;
    return task->stack == NULL || task->state == FREE ? task->used : used_of(task);
}

static void leave(void)
{
    while (ended_stack != NULL) { /* one at a time */
        kernel_sleep(1);
    }
    (void)cpu_mask();
    running->used = used_of(running);
    tell(running, false);
    ended_stack = running->stack;
    running->state = FREE;
    cpu_request_switch();
    cpu_restore(0);
    for (;;) {
    }
}

bool kernel_create(const char *name, void (*entry)(void *argument), void *argument,
                   uint8_t priority, uint32_t stack_size)
{
    free_ended();
    void *const stack = allocate(stack_size);
    if (stack == NULL) {
        return false;
    }
    memset(stack, PAINT, stack_size);
    const uint32_t mask = cpu_mask();
    uint32_t i = 1;
    while (i < KERNEL_TASKS && tasks[i].state != FREE) {
        i++;
    }
    if (i < KERNEL_TASKS) {
        tasks[i] = (kernel_task_t){
            .frame = cpu_frame(stack, stack_size, entry, argument, leave),
            .stack = stack,
            .stack_size = stack_size,
            .name = name,
            .priority = priority,
        };
        tell(&tasks[i], true);
        make_ready(&tasks[i], false);
    }
    cpu_restore(mask);
    if (i == KERNEL_TASKS) {
        release(stack);
    }
    return i < KERNEL_TASKS;
}

_Noreturn void kernel_start(void)
{
    tasks[0] = (kernel_task_t){.name = "idle", .state = READY};
    cpu_start_ticks(1000);
    cpu_request_switch();
    cpu_restore(0);
    for (;;) {
        free_ended();
        cpu_idle();
    }
}

void kernel_sleep(uint32_t ticks)
{
    uint32_t mask = cpu_mask();
    (void)wait_for(running, ticks, &mask);
    cpu_restore(mask);
}

/* ---- semaphores, mutexes, mailboxes --------------------------------------------------------- */

bool kernel_take(kernel_semaphore_t *semaphore, uint32_t ticks)
{
    uint32_t mask = cpu_mask();
    const uint32_t begun = ticks_gone;
    bool in_time = true;
    while (semaphore->count == 0 && in_time) {
        const uint32_t gone = ticks_gone - begun;
        const uint32_t left = ticks == KERNEL_FOREVER ? ticks : gone < ticks ? ticks - gone : 0;
        in_time = wait_for(semaphore, left, &mask);
    }
    const bool taken = semaphore->count != 0;
    semaphore->count -= taken;
    cpu_restore(mask);
    return taken;
}

void kernel_give(kernel_semaphore_t *semaphore)
{
    const uint32_t mask = cpu_mask();
    semaphore->count++;
    wake(semaphore);
    cpu_restore(mask);
}

void kernel_lock(kernel_mutex_t *mutex)
{
    uint32_t mask = cpu_mask();
    while (mutex->owner != NULL) {
        if (mutex->owner->priority < running->priority) {
            mutex->owner->priority = running->priority;
        }
        (void)wait_for(mutex, KERNEL_FOREVER, &mask);
    }
    mutex->owner = running;
    mutex->priority = running->priority;
    cpu_restore(mask);
}

void kernel_unlock(kernel_mutex_t *mutex)
{
    const uint32_t mask = cpu_mask();
    running->priority = mutex->priority;
    mutex->owner = NULL;
    wake(mutex);
    cpu_request_switch(); /* somebody may now be above it */
    cpu_restore(mask);
}

bool kernel_post(kernel_mailbox_t *mailbox, void *message)
{
    const uint32_t mask = cpu_mask();
    const bool room = mailbox->count < mailbox->size;
    if (room) {
        mailbox->slots[(mailbox->first + mailbox->count) % mailbox->size] = message;
        mailbox->count++;
        wake(mailbox);
    }
    cpu_restore(mask);
    return room;
}

bool kernel_send(kernel_mailbox_t *mailbox, void *message, uint32_t ticks)
{
    const uint32_t begun = kernel_now();
    while (!kernel_post(mailbox, message)) {
        if (ticks != KERNEL_FOREVER && kernel_now() - begun >= ticks) {
            return false;
        }
        kernel_sleep(1);
    }
    return true;
}

bool kernel_fetch(kernel_mailbox_t *mailbox, void **message, uint32_t ticks)
{
    uint32_t mask = cpu_mask();
    const uint32_t begun = ticks_gone;
    bool in_time = true;
    while (mailbox->count == 0 && in_time) {
        const uint32_t gone = ticks_gone - begun;
        const uint32_t left = ticks == KERNEL_FOREVER ? ticks : gone < ticks ? ticks - gone : 0;
        in_time = wait_for(mailbox, left, &mask);
    }
    const bool got = mailbox->count != 0;
    if (got) {
        *message = mailbox->slots[mailbox->first];
        mailbox->first = (mailbox->first + 1) % mailbox->size;
        mailbox->count--;
    }
    cpu_restore(mask);
    return got;
}
