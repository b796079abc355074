/*
 * The port: the only things that Heapscope wants of a system, a lock, a clock and to know which task
 * runs. One of device/port/ is linked; what uses no lock needs none of them. The library itself never
 * calls these: the drop-in interfaces (device/compat) do, and hs_regions_config_t takes
 * hs_port_lock_region, hs_port_unlock_region and hs_port_task as they are.
 *
 * Interrupts. There are two kinds of lock:
 *
 *   masking (bare, zephyr, freertos with HS_FREERTOS_MASKS)
 *      Interrupts are masked while it is held. A handler never sees a heap half changed, so it may
 *      allocate and free; interrupts wait for the longest operation (docs/reference/device.md has
 *      its instructions).
 *   refusing (freertos otherwise)
 *      Only other tasks are held off. A handler may come at any instruction of an operation, and is
 *      refused: hs_port_enter() is false there, and malloc NULL without having touched anything.
 *
 * posix: other threads are held off; signal handlers must not call.
 */
#ifndef HEAPSCOPE_PORT_H
#define HEAPSCOPE_PORT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Begins a section in which nothing else is in one; waits for that where a task may wait. Sections
 * nest. False: refused, in an interrupt of a port whose lock does not mask them; then there is
 * nothing to leave. */
bool hs_port_enter(void);
void hs_port_leave(void);

/* The same as a pair for hs_private_config_t: `context` is not used. From an interrupt only where the
 * lock masks them. */
void hs_port_lock(void *context);
void hs_port_unlock(void *context);

/* The pair for hs_regions_config_t: `lock` is below HS_LOCK_COUNT. A port for several cores has that many
 * locks (posix, freertos on ESP-IDF, bare with HS_BARE_CORE); the others have one core, or one lock of
 * their system's, and `lock` is not used. From an interrupt as above. */
void hs_port_lock_region(void *context, uint32_t lock);
void hs_port_unlock_region(void *context, uint32_t lock);

/* Is it an interrupt handler that runs? Always false where the port cannot tell. */
bool hs_port_in_interrupt(void);

/* Microseconds since some moment, modulo 2^32; 0 where the port has no clock. */
uint32_t hs_port_clock(void);

/* The handle of the running task; NULL: none runs, before the scheduler's start or in an interrupt. */
void *hs_port_task(void *context);
/* Its name, as long as the task lives; NULL: none. */
const char *hs_port_task_name(void *task);

#ifdef __cplusplus
}
#endif

#endif
