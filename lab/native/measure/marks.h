/* Every figure as it stood at a mark; the first HS_LAB_MARKS_MAX are kept. */
#ifndef HEAPSCOPE_NATIVE_MARKS_H
#define HEAPSCOPE_NATIVE_MARKS_H

#include "measure/measure.h"

/* Takes the figures now. Without host memory the mark is counted but not kept. */
void hs_marks_add(hs_measure_t *measure, const hs_lab_mark_row_t *row);
void hs_marks_free(hs_measure_t *measure);

#endif
