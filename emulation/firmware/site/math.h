/* For cJSON. */
#ifndef FIRMWARE_MATH_H
#define FIRMWARE_MATH_H

#define NAN __builtin_nanf("")
#define isnan(value) __builtin_isnan(value)
#define isinf(value) __builtin_isinf(value)
#define fabs(value) __builtin_fabs(value)

#endif
