/* A loaded trace: the state behind hs_lab_steps_t. */
#ifndef HEAPSCOPE_NATIVE_STEPS_H
#define HEAPSCOPE_NATIVE_STEPS_H

#include "fit/fit.h"
#include "lab/lab.h"

struct hs_lab_steps {
    hs_fit_t fit;
};

#endif
