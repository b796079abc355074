/* A binding checks these before it trusts its declarations. */
#include <string.h>

#include "allocators/allocators.h"
#include "fixed.h"
#include "lab/frames.h"
#include "lab/heard.h"
#include "lab/lab.h"
#include "rows/recorder.h"

int hs_lab_abi(void)
{
    return HS_LAB_ABI;
}

const char *hs_lab_allocator_name(size_t index)
{
    return hs_allocator_name(index);
}

const char *hs_lab_allocator_find(const char *name)
{
    return hs_allocator_find(name);
}

uint32_t hs_lab_fixed_memory(uint32_t count, uint32_t block, uint32_t alignment)
{
    return hs_fixed_model_memory(count, block, alignment);
}

const char *hs_lab_allocator_places_as(const char *name)
{
    return hs_allocator_places_as(name);
}

size_t hs_lab_sizeof(const char *struct_name)
{
    static const struct {
        const char *name;
        size_t size;
    } structs[] = {
#define SIZE(type) {#type, sizeof(type)}
        SIZE(hs_lab_import_stats_t),   SIZE(hs_lab_name_row_t),
        SIZE(hs_lab_left_out_t),       SIZE(hs_lab_health_t),
        SIZE(hs_lab_census_t),         SIZE(hs_lab_loss_t),
        SIZE(hs_lab_region_t),         SIZE(hs_lab_need_t),
        SIZE(hs_lab_config_t),         SIZE(hs_lab_summary_t),
        SIZE(hs_lab_region_row_t),     SIZE(hs_lab_task_row_t),
        SIZE(hs_lab_set_row_t),        SIZE(hs_lab_need_row_t),
        SIZE(hs_lab_failure_row_t),    SIZE(hs_lab_failure_region_t),
        SIZE(hs_lab_mark_row_t),       SIZE(hs_lab_failure_span_t),
        SIZE(hs_lab_anomaly_row_t),    SIZE(hs_lab_timeline_t),
        SIZE(hs_lab_event_t),          SIZE(hs_lab_interval_t),
        SIZE(hs_lab_holder_row_t),     SIZE(hs_lab_live_row_t),
        SIZE(hs_lab_explanation_t),    SIZE(hs_lab_explanation_region_t),
        SIZE(hs_lab_rule_t),           SIZE(hs_lab_rule_name_t),
        SIZE(hs_lab_rule_names_t),     SIZE(hs_lab_rule_row_t),
        SIZE(hs_lab_filled_t),         SIZE(hs_lab_drill_t),
        SIZE(hs_lab_phase_t),          SIZE(hs_lab_request_t),
        SIZE(hs_lab_attempt_t),        SIZE(hs_lab_hole_row_t),
        SIZE(hs_lab_piece_row_t),      SIZE(hs_lab_fit_t),
        SIZE(hs_lab_offline_t),        SIZE(hs_lab_variety_t),
        SIZE(hs_lab_growth_row_t),     SIZE(hs_lab_rounds_t),
        SIZE(hs_lab_closest_row_t),    SIZE(hs_lab_column_row_t),
        SIZE(hs_lab_picture_moment_t), SIZE(hs_lab_block_row_t),
        SIZE(hs_lab_holding_row_t),    SIZE(hs_lab_picture_t),
        SIZE(hs_lab_export_row_t),     SIZE(hs_lab_history_t),
        SIZE(hs_lab_filter_t),         SIZE(hs_lab_strip_t),
        SIZE(hs_lab_view_t),           SIZE(hs_lab_history_sum_t),
        SIZE(hs_lab_life_t),           SIZE(hs_lab_sample_t),
        SIZE(hs_lab_profile_row_t),    SIZE(hs_lab_profile_t),
        SIZE(hs_lab_cell_t),           SIZE(hs_lab_record_image_t),
        SIZE(hs_lab_record_module_t),  SIZE(hs_lab_pool_rule_t),
        SIZE(hs_lab_pool_totals_t),    SIZE(hs_lab_work_t),
        SIZE(hs_lab_heap_state_t),     SIZE(hs_lab_step_t),
        SIZE(hs_lab_heap_calls_t),     SIZE(hs_lab_life_row_t),
        SIZE(hs_lab_log_fact_t),       SIZE(hs_lab_log_failed_t),
        SIZE(hs_lab_leak_row_t),       SIZE(hs_lab_held_t),
        SIZE(hs_lab_state_row_t),      SIZE(hs_lab_served_t),
        SIZE(hs_lab_tenant_t),         SIZE(hs_lab_listened_t),
        SIZE(hs_lab_recording_t),      SIZE(hs_lab_level_row_t),
        SIZE(hs_lab_dropped_row_t),    SIZE(hs_lab_listened_region_t),
        SIZE(hs_lab_memory_t),         SIZE(hs_lab_hardware_t),
        SIZE(hs_lab_owner_t),          SIZE(hs_lab_lately_t),
        SIZE(hs_lab_watched_t),        SIZE(hs_lab_notice_t),
        SIZE(hs_lab_bound_t),          SIZE(hs_lab_code_part_t),
        SIZE(hs_lab_function_t),       SIZE(hs_lab_frame_row_t),
        SIZE(hs_lab_call_row_t),
#undef SIZE
    };
    for (size_t i = 0; i < sizeof structs / sizeof structs[0]; i++) {
        if (strcmp(struct_name, structs[i].name) == 0) {
            return structs[i].size;
        }
    }
    return 0;
}
