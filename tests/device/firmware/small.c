/*
 * Tasks, the kernel's objects and memory in interrupts, without a network. Prints a line for each thing
 * that holds, and the marks of the heap.
 */
#include <stdio.h>
#include <stdlib.h>

#include "board.h"
#include "memory.h"
#include "recording.h"
#include "sampler.h"
#include "small_kernel.h"

static kernel_semaphore_t done;
static kernel_mutex_t mutex;
static void *slots[2];
static kernel_mailbox_t mailbox = {.slots = slots, .size = 2};
static volatile uint32_t turns[2], order;
static volatile bool stop;

static void holds(const char *what, bool is)
{
    printf("%s: %s\n", what, is ? "yes" : "NO");
}

/* Never waits: only the timer takes the processor from it. */
static void spin(void *turn)
{
    while (!stop) {
        ++*(volatile uint32_t *)turn;
    }
    kernel_give(&done);
}

static void send(void *unused)
{
    (void)unused;
    for (uintptr_t i = 1; i <= 5; i++) {
        kernel_send(&mailbox, (void *)i, KERNEL_FOREVER);
    }
}

/* Holds the mutex while a task of middle priority would spin for ever and one of high priority waits. */
static void low(void *unused)
{
    (void)unused;
    kernel_lock(&mutex);
    kernel_give(&done);
    const uint32_t begun = kernel_now();
    while (kernel_now() - begun < 20) {
    }
    order = order * 10 + 1;
    kernel_unlock(&mutex);
    kernel_give(&done);
}

static void middle(void *unused)
{
    (void)unused;
    const uint32_t begun = kernel_now();
    while (kernel_now() - begun < 60) {
    }
    order = order * 10 + 2;
    kernel_give(&done);
}

static void high(void *unused)
{
    (void)unused;
    kernel_lock(&mutex);
    order = order * 10 + 3;
    kernel_unlock(&mutex);
    kernel_give(&done);
}

static void take_all(uint32_t count)
{
    while (count-- > 0) {
        kernel_take(&done, KERNEL_FOREVER);
    }
}

static void churn(void *seed)
{
    uint32_t state = (uint32_t)(uintptr_t)seed;
    void *held[24] = {NULL};
    for (int i = 0; i < 2000; i++) {
        state = state * 1664525u + 1013904223u;
        void **const one = &held[(state >> 8) % 24];
        const size_t size = (state >> 16) % 900 + 1;
        if ((state >> 28) == 0) {
            *one = realloc(*one, size) /* large enough for all */;
        } else {
            free(*one);
            *one = (state & 64u) != 0 ? malloc(size) : calloc(1, size);
        }
    }
    for (int i = 0; i < 24; i++) {
        free(held[i]);
    }
    kernel_give(&done);
}

static void run(void *unused)
{
    (void)unused;
    memory_mark("begin");
    kernel_create("spin 1", spin, (void *)(uintptr_t)&turns[0], 2, 1024);
    kernel_create("spin 2", spin, (void *)(uintptr_t)&turns[1], 2, 1024);
    kernel_sleep(50);
    stop = true;
    take_all(2);
    holds("equal priorities run by turns", turns[0] > 0 && turns[1] > 0);

    kernel_create("send", send, NULL, 2, 1024);
    uintptr_t sum = 0;
    void *message;
    while (kernel_fetch(&mailbox, &message, 100)) {
        sum = sum * 10 + (uintptr_t)message;
    }
    holds("messages come in their order, and then none", sum == 12345);
    const uint32_t begun = kernel_now();
    holds("a wait ends with its time", !kernel_take(&done, 20) && kernel_now() - begun >= 20);

    kernel_create("low", low, NULL, 1, 1024);
    take_all(1);
    kernel_create("high", high, NULL, 3, 1024);
    kernel_create("middle", middle, NULL, 2, 1024);
    take_all(3);
    holds("who holds a mutex inherits the priority of who waits", order == 132);

    holds("the interrupt's samples are there", sampler_start());
    kernel_create("churn 1", churn, (void *)(uintptr_t)board_given.seed, 2, 2048);
    kernel_create("churn 2", churn, (void *)(uintptr_t)(board_given.seed + 7), 2, 2048);
    for (int i = 0; i < 5; i++) {
        kernel_sleep(10);
        memory_mark("while all run");
    }
    take_all(2);
    memory_mark("end");
    holds("a request that nothing can serve is refused", malloc(1u << 20) == NULL);
    memory_mark("after a failure");
    recording_close();
    board_end(0);
}

_Noreturn void firmware_main(void)
{
    memory_open();
    kernel_create("run", run, NULL, 4, 4096);
    kernel_start();
}
