/* The search of the heap's small form, looked at by the guard. */
#include "heapscope/config.h"

#if HS_GUARD

#define HS_BIN_T hs_half_t
#define HS_MAP HS_MAP_SMALL
#define HS_GUARDED(call) hs_guard_small_##call

#include "search.h"

#else
typedef int hs_guard_is_left_out_t; /* C wants a declaration */
#endif
