/* Functions that the library calls back while its instructions are counted. */
#ifndef HEAPSCOPE_EMULATION_BOUNDS_HOOKS_H
#define HEAPSCOPE_EMULATION_BOUNDS_HOOKS_H

#include <stdint.h>

extern uint32_t bounds_task_handle;
void *bounds_task(void *context);

#endif
