/* Which core runs, on bare metal: HS_BARE_CORE() tells the port. */
#include "cores.h"

uint32_t cores_self(void)
{
    return HS_BARE_CORE();
}

int main(void) /* the functions of cores.h are called from outside */
{
    return 0;
}
