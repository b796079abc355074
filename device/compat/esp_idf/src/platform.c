/* The surroundings by default: what blocks carry, and how faults are reported. */
#include "platform.h"

#include <stdlib.h>

heapscope_esp_telling_t heapscope_esp_telling = HEAPSCOPE_ESP_FATAL;

static void told(void *context, const hs_fault_t *fault)
{
    (void)context;
    switch (heapscope_esp_telling) {
    case HEAPSCOPE_ESP_PRINTED:
        heapscope_esp_print_fault(fault);
        break;
    case HEAPSCOPE_ESP_FATAL:
        heapscope_esp_fault(fault);
        break;
    case HEAPSCOPE_ESP_SILENT:
        break;
    }
}

#define ESP_GUARD(whose)                                                                           \
    {.level = HEAPSCOPE_ESP_LEVEL,                                                                 \
     .policy = HS_POLICY_REPORT,                                                                   \
     .owners = (whose),                                                                            \
     .alignment = HEAPSCOPE_ESP_HEAD,                                                              \
     .report = told}

const hs_guard_config_t heapscope_esp_guard = ESP_GUARD(false);
const hs_guard_config_t heapscope_esp_owned = ESP_GUARD(HEAPSCOPE_ESP_TASKS != 0);

#if ESP_SILENT
void heapscope_esp_print_fault(const hs_fault_t *fault)
{
    HEAPSCOPE_ESP_ERROR("CORRUPT HEAP: %p, %p\n", fault->at, fault->block);
}

__attribute__((weak)) void heapscope_esp_fault(const hs_fault_t *fault)
{
    (void)fault;
    abort();
}
#else
static const char *name_of(hs_fault_kind_t kind)
{
    switch (kind) {
    case HS_FAULT_NOT_A_BLOCK:
        return "not the address of a used block";
    case HS_FAULT_METADATA:
        return "the heap's own data contradict each other";
    case HS_FAULT_HEAD:
        return "written before the block";
    case HS_FAULT_TAIL:
        return "written behind the block";
    case HS_FAULT_FREE:
        return "written into free memory";
    }
    return "unknown";
}

void heapscope_esp_print_fault(const hs_fault_t *fault)
{
    HEAPSCOPE_ESP_ERROR("CORRUPT HEAP: %s: at %p, block %p\n", name_of(fault->kind), fault->at,
                        fault->block);
}

__attribute__((weak)) void heapscope_esp_fault(const hs_fault_t *fault)
{
    heapscope_esp_print_fault(fault);
    abort();
}
#endif

void heapscope_esp_not_a_block(const void *address)
{
    const hs_fault_t fault = {HS_FAULT_NOT_A_BLOCK, NULL, address, HS_OWNER_NONE, NULL};
    heapscope_esp_fault(&fault);
}

#ifndef ESP_PLATFORM
__attribute__((weak)) void heapscope_esp_lock(void *lock)
{
    (void)lock;
}

__attribute__((weak)) void heapscope_esp_unlock(void *lock)
{
    (void)lock;
}
#endif
