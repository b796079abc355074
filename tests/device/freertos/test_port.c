/* The port's own promises, as HS_FREERTOS_MASKS has it. */
#include <string.h>

#include "../../models/check.h"
#include "heapscope/port.h"
#include "heapscope_freertos.h"
#include "kernel.h"
#include "task.h"

int main(void)
{
    CHECK(hs_port_enter() && hs_port_enter(), "sections nest");
    CHECK(deep == 2, "%u deep", deep);
    hs_port_leave();
    hs_port_leave();
    hs_port_lock(NULL);
    CHECK(deep == 1, "%u deep", deep);
    hs_port_unlock(NULL);
    CHECK(deep == 0, "%u deep", deep);
    hs_port_lock_region(NULL, 3);
    CHECK(deep == 1, "%u deep", deep);
    hs_port_unlock_region(NULL, 3);
    CHECK(deep == 0, "%u deep", deep);
    CHECK(hs_port_clock() == 1500000, "%u us", (unsigned)hs_port_clock());
    void *const task = hs_port_task(NULL);
    CHECK(task != NULL && strcmp(hs_port_task_name(task), "main") == 0, "the task's name");
    CHECK(hs_port_task_name(NULL) == NULL, "no task has no name");
    scheduler = taskSCHEDULER_NOT_STARTED;
    CHECK(hs_port_task(NULL) == NULL, "no task runs before the start");
    scheduler = taskSCHEDULER_RUNNING;

    inside_interrupt = 1;
    CHECK(hs_port_in_interrupt() && hs_port_task(NULL) == NULL, "no task runs in a handler");
    CHECK(hs_port_enter() == (HS_FREERTOS_MASKS != 0), "a handler gets in where it is masked");
#if HS_FREERTOS_MASKS
    CHECK(deep == 1 && hs_port_enter() && deep == 2, "handlers nest");
    hs_port_leave();
    CHECK(deep == 1, "%u deep", deep);
    hs_port_leave();
#endif
    inside_interrupt = 0;
    CHECK(deep == 0 && asserted == 0, "%u deep", deep);
    return 0;
}
