/* The part of a processor that a kernel needs. One of cpu_riscv.c and cpu_cortex_m.c is linked. */
#ifndef FIRMWARE_CPU_H
#define FIRMWARE_CPU_H

#include <stdint.h>

uint32_t cpu_mask(void); /* masks interrupts; the result is for cpu_restore() */
void cpu_restore(uint32_t before);
void cpu_request_switch(void); /* kernel_switch() runs as soon as interrupts are not masked */
void cpu_idle(void);           /* waits for an interrupt */
/* The frame of a task that has not run yet, at the top of its stack; `leave` is where `entry`
 * returns to. */
void *cpu_frame(void *stack, uint32_t size, void (*entry)(void *), void *argument,
                void (*leave)(void));
/* Begins to tick, `hertz` times a second. */
void cpu_start_ticks(uint32_t hertz);

#endif
