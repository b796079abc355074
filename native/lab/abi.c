/* What a binding checks before it trusts its declarations. */
#include <string.h>

#include "lab/lab.h"
#include "model.h"

int hs_lab_abi(void)
{
    return HS_LAB_ABI;
}

const char *hs_lab_allocator_name(size_t index)
{
    return hs_allocator_name(index);
}

size_t hs_lab_sizeof(const char *struct_name)
{
    static const struct {
        const char *name;
        size_t size;
    } structs[] = {
#define SIZE(type) {#type, sizeof(type)}
        SIZE(hs_lab_text_stats_t),     SIZE(hs_lab_health_t),
        SIZE(hs_lab_census_t),         SIZE(hs_lab_region_t),
        SIZE(hs_lab_need_t),           SIZE(hs_lab_config_t),
        SIZE(hs_lab_summary_t),        SIZE(hs_lab_region_row_t),
        SIZE(hs_lab_task_row_t),       SIZE(hs_lab_set_row_t),
        SIZE(hs_lab_need_row_t),       SIZE(hs_lab_failure_row_t),
        SIZE(hs_lab_failure_region_t), SIZE(hs_lab_mark_row_t),
        SIZE(hs_lab_anomaly_row_t),    SIZE(hs_lab_timeline_t),
        SIZE(hs_lab_event_t),          SIZE(hs_lab_moment_row_t),
        SIZE(hs_lab_holder_row_t),     SIZE(hs_lab_live_row_t),
        SIZE(hs_lab_explanation_t),    SIZE(hs_lab_explanation_region_t),
#undef SIZE
    };
    for (size_t i = 0; i < sizeof structs / sizeof structs[0]; i++) {
        if (strcmp(struct_name, structs[i].name) == 0) {
            return structs[i].size;
        }
    }
    return 0;
}
