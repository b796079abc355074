/* The small form: 16-bit bins, slots of 4 and 8 bytes, regions up to HS_SMALL_MAX. */
#include "forms.h"

#define HS_NAME HS_SMALL
#define HS_BIN_T hs_half_t
#define HS_MAP HS_MAP_SMALL
#define HS_SLOTS 1

#include "operations.h"
