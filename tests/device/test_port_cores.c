/* The spin locks of the port for bare metal, on two cores that take turns where one of them would wait. */
#include <stdint.h>

#include "../models/check.h"

static uint32_t running;    /* that runs */
static uint32_t enabled[2]; /* 1: the core takes interrupts */
static uint32_t taken[64];
static uint32_t waited;
static uint32_t to_release; /* by core 0, when core 1 waits for it; 64: nothing */

static uint32_t mask_interrupts(void)
{
    const uint32_t before = enabled[running];
    enabled[running] = 0;
    return before;
}

static int try_lock(uint32_t lock);

#define HS_BARE_CORES 2
#define HS_BARE_CORE() running
#define HS_BARE_MASK() mask_interrupts()
#define HS_BARE_RESTORE(before) ((void)(enabled[running] = (before)))
#define HS_BARE_TRY(lock) try_lock(lock)
#define HS_BARE_GIVE(lock) ((void)(taken[lock] = 0))
#include "../../device/port/bare/port.c"

static int try_lock(uint32_t lock)
{
    if (taken[lock] == 0) {
        taken[lock] = 1;
        return 1;
    }
    CHECK(running == 1 && to_release != 64, "a core waits for ever for lock %u", (unsigned)lock);
    waited++;
    running = 0;
    hs_port_unlock_region(NULL, to_release);
    to_release = 64;
    running = 1;
    return 0;
}

int main(void)
{
    CHECK(SPIN_LOCKS <= 64, "%u locks", (unsigned)SPIN_LOCKS);
    enabled[0] = enabled[1] = 1;
    /* A lock that is held twice is held until it was given back twice. */
    hs_port_lock_region(NULL, 3);
    hs_port_lock_region(NULL, 3);
    CHECK(enabled[0] == 0 && enabled[1] == 1, "its own interrupts are masked");
    hs_port_unlock_region(NULL, 3);
    CHECK(enabled[0] == 0 && taken[3] == 1, "an inner section ends");
    running = 1;
    hs_port_lock_region(NULL, 4);
    hs_port_unlock_region(NULL, 4);
    CHECK(waited == 0, "another region's lock is free");
    to_release = 3;
    hs_port_lock_region(NULL, 3);
    CHECK(waited == 1 && enabled[0] == 1 && enabled[1] == 0, "it waited for the other core");
    hs_port_unlock_region(NULL, 3);
    CHECK(taken[3] == 0 && enabled[1] == 1, "not as it was");
    /* A set's lock with a region's within it: interrupts come when both are given back. */
    hs_port_lock_region(NULL, HS_LOCK_SET);
    hs_port_lock_region(NULL, 0);
    hs_port_unlock_region(NULL, 0);
    CHECK(enabled[1] == 0 && taken[0] == 0 && taken[HS_LOCK_SET] == 1, "the outer one is held");
    hs_port_unlock_region(NULL, HS_LOCK_SET);
    CHECK(enabled[1] == 1 && taken[HS_LOCK_SET] == 0, "not as it was");
    /* The program's own section is another lock. */
    CHECK(hs_port_enter() && taken[OWN] == 1 && taken[3] == 0, "enter");
    hs_port_lock(NULL);
    hs_port_unlock(NULL);
    hs_port_leave();
    CHECK(taken[OWN] == 0 && enabled[1] == 1, "leave");
    CHECK(!hs_port_in_interrupt() && hs_port_clock() == 0, "this processor does not say");
    CHECK(hs_port_task(NULL) == NULL && hs_port_task_name(NULL) == NULL, "no tasks");
    return 0;
}
