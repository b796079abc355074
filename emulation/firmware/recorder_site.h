/* The recorder's view of the board and the kernel (heapscope/recorder_port.h). */
#ifndef FIRMWARE_RECORDER_SITE_H
#define FIRMWARE_RECORDER_SITE_H

#include "board.h"
#include "small_kernel.h"

#define HS_RECORDER_CLOCK() board_clock()
#define HS_RECORDER_TASK() ((uintptr_t)kernel_task_handle(kernel_task_number()))
#define HS_RECORDER_IN_INTERRUPT() kernel_in_interrupt()

#endif
