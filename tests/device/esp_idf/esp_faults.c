#include "esp_faults.h"

#include "../../../device/compat/esp_idf/src/platform.h"

static size_t faults;

void heapscope_esp_fault(const hs_fault_t *fault)
{
    heapscope_esp_print_fault(fault);
    faults++;
}

size_t esp_faults(void)
{
    const size_t seen = faults;
    faults = 0;
    return seen;
}
