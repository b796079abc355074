#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#include <stdio.h>
#include <stdlib.h>
#define assert(condition)                                                                          \
    ((condition)                                                                                   \
         ? (void)0                                                                                 \
         : (fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition), abort()))
#endif
#ifndef static_assert
#define static_assert _Static_assert
#endif
