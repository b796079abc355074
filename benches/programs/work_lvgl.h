/* The clock of LVGL, which is the program's own. */
#ifndef HEAPSCOPE_PROGRAMS_WORK_LVGL_H
#define HEAPSCOPE_PROGRAMS_WORK_LVGL_H

#include <stdint.h>

uint32_t work_lvgl_now(void);

#endif
