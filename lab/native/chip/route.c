#include "chip/route.h"

#include "../../device/src/regions/caps.h"

size_t hs_route_attempts(const uint32_t (*has)[3], size_t regions, uint32_t caps,
                         hs_lab_attempt_t *rows, size_t capacity)
{
    const uint32_t requested = hs_caps_requested(caps);
    size_t count = 0;
    if (hs_caps_contradict(caps)) {
        return 0;
    }
    for (uint32_t priority = 0; priority < HS_PRIORITIES; priority++) {
        for (size_t i = 0; i < regions; i++) {
            if (hs_caps_lead_to(has[i], requested, priority)) {
                if (count < capacity) {
                    rows[count] = (hs_lab_attempt_t){(uint32_t)i, priority};
                }
                count++;
            }
        }
    }
    return count;
}
