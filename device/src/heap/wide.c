/* The wide and the word-only form: 32-bit bins, so that no access is narrower, and no slots. */
#include "forms.h"

#define HS_NAME HS_WIDE
#define HS_BIN_T uint32_t
#define HS_MAP HS_MAP_WIDE
#define HS_SLOTS 0

#include "operations.h"
