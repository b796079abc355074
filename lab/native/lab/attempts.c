/* The way of a request, for the binding. */
#include "../../device/src/regions/hardware.h"
#include "chip/route.h"
#include "lab/lab.h"

size_t hs_lab_attempts(const uint32_t *has, size_t regions, uint32_t caps, hs_lab_attempt_t *rows,
                       size_t capacity)
{
    return hs_route_attempts((const uint32_t (*)[3])(const void *)has, regions, caps, rows,
                             capacity);
}

void hs_lab_by_hardware(const hs_lab_hardware_t *hardware, uint32_t align_size_caps[3])
{
    const hs_hardware_t rule = {hardware->internal, hardware->external, hardware->axi,
                                hardware->simd, hardware->encrypted};
    hs_hardware_adjust(&rule, &align_size_caps[0], &align_size_caps[1], &align_size_caps[2]);
}
