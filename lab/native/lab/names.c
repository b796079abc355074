/* The names of calls, outcomes and anomalies. Nothing else of Heapscope spells them. */
#include "heapscope/trace.h"
#include "lab/lab.h"

static const char *const calls[] = {[HS_EVENT_MALLOC] = "malloc",   [HS_EVENT_CALLOC] = "calloc",
                                    [HS_EVENT_ALIGNED] = "aligned", [HS_EVENT_REALLOC] = "realloc",
                                    [HS_EVENT_FREE] = "free",       [HS_EVENT_FAILED] = "failed"};

static const char *const outcomes[] = {[HS_LAB_OUTCOME_OK] = "ok",
                                       [HS_LAB_OUTCOME_FAILED] = "failed",
                                       [HS_LAB_OUTCOME_RECORDED] = "failed_recorded",
                                       [HS_LAB_OUTCOME_ZERO] = "zero",
                                       [HS_LAB_OUTCOME_SKIPPED] = "skipped",
                                       [HS_LAB_OUTCOME_UNKNOWN] = "unknown",
                                       [HS_LAB_OUTCOME_REFUSED] = "refused"};

static const char *const anomalies[] = {[HS_LAB_ANOMALY_UNKNOWN_FREE] = "free of an unknown id",
                                        [HS_LAB_ANOMALY_DOUBLE_FREE] = "double free",
                                        [HS_LAB_ANOMALY_DEAD_REALLOC] = "realloc of a dead id",
                                        [HS_LAB_ANOMALY_REFUSED_REALLOC] =
                                            "realloc that this allocator refuses",
                                        [HS_LAB_ANOMALY_REUSED_ID] = "id reused while live"};

#define NAME(names, index) ((index) < sizeof(names) / sizeof *(names) ? (names)[index] : NULL)

const char *hs_lab_call_name(uint32_t kind)
{
    return NAME(calls, kind);
}

const char *hs_lab_outcome_name(uint32_t outcome)
{
    return NAME(outcomes, outcome);
}

const char *hs_lab_anomaly_name(uint32_t what)
{
    return NAME(anomalies, what);
}
