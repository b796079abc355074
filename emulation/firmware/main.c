/*
 * A whole firmware: a kernel, lwIP, a TLS client, a JSON reader and samples that an interrupt
 * allocates, on Heapscope's regions. It records itself into the second serial port and prints at its
 * marks what its heap has.
 */
#include <stdio.h>
#include <stdlib.h>

#include "board.h"
#include "json_worker.h"
#include "lwip_port.h"
#include "memory.h"
#include "node_pool.h"
#include "recording.h"
#include "sampler.h"
#include "small_kernel.h"
#include "tls_client.h"

static void print_stacks(void)
{
    for (uint32_t i = 1; i < KERNEL_TASKS; i++) {
        uint32_t size;
        const uint32_t used = kernel_stack_used(i, &size);
        if (size != 0) {
            printf("stack of %s: %u of %u bytes used\n", kernel_task_name(kernel_task_handle(i)),
                   (unsigned)used, (unsigned)size);
        }
    }
}

static void run(void *unused)
{
    (void)unused;
    if (!lwip_port_open() || !json_worker_start() || !sampler_start()) {
        printf("not all could be started\n");
        abort();
    }
    memory_mark("started");
    tls_client_run();
    json_worker_finish();
    memory_mark("finished");
    print_stacks();
    recording_close();
    board_end(0);
}

_Noreturn void firmware_main(void)
{
    memory_open();
    if (!node_pool_open() || !kernel_create("client", run, NULL, 4, 8192)) {
        printf("no room to begin\n");
        abort();
    }
    kernel_start();
}
