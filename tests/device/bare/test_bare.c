/* The port for bare metal: sections nest, and at the end of the outermost one interrupts are as they
 * were before it, masked or not. */
#include "../../models/check.h"
#include "heapscope/port.h"
#include "masking.h"

uint32_t taken;

uint32_t mask_interrupts(void)
{
    const uint32_t before = taken;
    taken = 0;
    return before;
}

void restore_interrupts(uint32_t before)
{
    taken = before;
}

int main(void)
{
    for (uint32_t before = 0; before < 2; before++) {
        taken = before;
        CHECK(hs_port_enter() && taken == 0, "not masked");
        hs_port_lock(NULL);
        CHECK(hs_port_enter() && taken == 0, "not masked");
        hs_port_leave();
        CHECK(taken == 0, "an inner section ends, and interrupts come");
        hs_port_lock_region(NULL, 3);
        hs_port_lock_region(NULL, 3);
        hs_port_unlock_region(NULL, 3);
        hs_port_unlock_region(NULL, 3);
        CHECK(taken == 0, "an inner section ends, and interrupts come");
        hs_port_unlock(NULL);
        CHECK(taken == 0, "an inner section ends, and interrupts come");
        hs_port_leave();
        CHECK(taken == before, "not as it was");
    }
    CHECK(hs_port_clock() == 77, "the clock");
    CHECK(hs_port_task(NULL) == NULL && hs_port_task_name(NULL) == NULL, "no tasks");
    CHECK(!hs_port_in_interrupt(), "this processor does not say");
    return 0;
}
