/* PJLIB's clocks, made of the program's own time. Replaces os_time_unix.c and
 * os_timestamp_posix.c. */
#include <pj/errno.h>
#include <pj/os.h>

#include "link.h"

#define SECOND 1000000u
#define EPOCH 1000000000 /* when the run begins */

static uint64_t clock_now;

uint64_t hs_link_now(void)
{
    return clock_now;
}

void hs_link_set_now(uint64_t now)
{
    clock_now = now;
}

pj_status_t pj_gettimeofday(pj_time_val *out)
{
    out->sec = (long)(EPOCH + clock_now / SECOND);
    out->msec = (long)(clock_now % SECOND / 1000);
    return PJ_SUCCESS;
}

pj_status_t pj_get_timestamp(pj_timestamp *out)
{
    out->u64 = clock_now;
    return PJ_SUCCESS;
}

pj_status_t pj_get_timestamp_freq(pj_timestamp *out)
{
    out->u64 = SECOND;
    return PJ_SUCCESS;
}
