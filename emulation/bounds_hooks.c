/* Functions that the library calls back. Their instructions are counted as the library's own. */
#include "bounds_hooks.h"

void *bounds_task(void *context)
{
    (void)context;
    return &bounds_task_handle;
}

uint32_t bounds_task_handle;
