/* Pools of a trace under other sizes. */
#include "pools/pools.h"

#include "lab/lab.h"

int hs_lab_pools_replay(const hs_lab_event_t *events, size_t count, const uint8_t *chosen,
                        uint32_t pools, uint32_t initial, uint32_t increment,
                        const hs_lab_pool_rule_t *rule, uint64_t *allocated, uint64_t *used,
                        hs_lab_pool_totals_t *out)
{
    const hs_pool_sizes_t sizes = {initial, increment};
    return (int)hs_pools_replay((const hs_event_t *)(const void *)events, count, chosen, pools,
                                sizes, rule, allocated, used, out);
}
