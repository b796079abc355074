/* The lean heap: all of its files as one unit, so that the compiler makes each of their steps once. */
#include "heapscope/config.h"

#if HS_LEAN
#define HS_LEAN_UNIT 1
#include "check.c"

#include "query.c"

#include "small.c"

#include "heap.c"
#else
#include "forms.h"
#endif
