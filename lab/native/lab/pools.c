/* Pools of a trace under other sizes. */
#include "pools/pools.h"

#include "lab/lab_tools.h"

_Static_assert(sizeof(hs_lab_pool_rule_t) == sizeof(hs_pool_rule_t) &&
                   sizeof(hs_lab_pool_totals_t) == sizeof(hs_pool_totals_t),
               "one layout");
_Static_assert(HS_LAB_POOL_SIZES_MAX == HS_POOL_SIZES_MAX, "one limit");

int hs_lab_pools_replay(const hs_lab_event_t *events, size_t count, const uint8_t *chosen,
                        uint32_t pools, uint32_t initial, uint32_t increment,
                        const hs_lab_pool_rule_t *rule, uint64_t *allocated, uint64_t *used,
                        hs_lab_pool_totals_t *out)
{
    const hs_pool_sizes_t sizes = {initial, increment};
    return (int)hs_pools_replay((const hs_event_t *)(const void *)events, count, chosen, pools,
                                sizes, (const hs_pool_rule_t *)(const void *)rule, allocated, used,
                                (hs_pool_totals_t *)(void *)out);
}
