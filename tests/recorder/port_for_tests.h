/* The recorder's port on the host: what the test says. Each thread has a core of its own. */
#ifndef HS_TESTS_RECORDER_PORT_H
#define HS_TESTS_RECORDER_PORT_H

#include <stdint.h>

typedef struct port_state {
    uintptr_t task;
    unsigned core;
    unsigned interrupt; /* 1: a handler runs */
} port_state_t;

extern _Thread_local port_state_t port;
extern uint32_t port_clock;

#define HS_RECORDER_CLOCK() __atomic_load_n(&port_clock, __ATOMIC_RELAXED)
#define HS_RECORDER_TASK() (port.task)
#define HS_RECORDER_CORE() (port.core)
#define HS_RECORDER_IN_INTERRUPT() (port.interrupt)

#endif
