/* The way of a request, for the binding. */
#include "chip/route.h"
#include "lab/lab.h"

size_t hs_lab_attempts(const uint32_t *has, size_t regions, uint32_t caps, hs_lab_attempt_t *rows,
                       size_t capacity)
{
    return hs_route_attempts((const uint32_t (*)[3])(const void *)has, regions, caps, rows,
                             capacity);
}
