/* LVGL with everything from the program's heap. */
#ifndef LV_CONF_H
#define LV_CONF_H

#include <stdint.h>

#define LV_COLOR_DEPTH 16

#define LV_MEM_CUSTOM 1
#define LV_MEM_CUSTOM_INCLUDE "calls.h"
#define LV_MEM_CUSTOM_ALLOC calls_malloc
#define LV_MEM_CUSTOM_FREE calls_free
#define LV_MEM_CUSTOM_REALLOC calls_realloc
#define LV_MEMCPY_MEMSET_STD 1

#define LV_TICK_CUSTOM 1
#define LV_TICK_CUSTOM_INCLUDE "work_lvgl.h"
#define LV_TICK_CUSTOM_SYS_TIME_EXPR (work_lvgl_now())

#define LV_USE_LOG 0
#define LV_USE_ASSERT_NULL 1
#define LV_USE_ASSERT_MALLOC 1
#define LV_ASSERT_HANDLER_INCLUDE <stdlib.h>
#define LV_ASSERT_HANDLER abort();

#define LV_FONT_MONTSERRAT_14 1

#endif
