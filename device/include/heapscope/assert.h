/*
 * HS_ASSERT states an invariant where it holds. Assertions are for those who change Heapscope: the
 * C tests and the sanitizer builds compile them in (CMake: HEAPSCOPE_ASSERTS), a release leaves them
 * out, and then they cost no instruction. They never replace a check of what a caller passes.
 */
#ifndef HEAPSCOPE_ASSERT_H
#define HEAPSCOPE_ASSERT_H

/* 1: assertions are compiled in. */
#ifndef HS_ASSERTS
#define HS_ASSERTS 0
#endif

#if HS_ASSERTS

#ifdef __cplusplus
extern "C" {
#endif

/* The program defines it, and it must not return: print and abort, or loop until a watchdog comes. */
void hs_assert_failed(const char *condition, const char *file, int line);

#ifdef __cplusplus
}
#endif

#define HS_ASSERT(condition)                                                                       \
    ((condition) ? (void)0 : hs_assert_failed(#condition, __FILE__, __LINE__))

#else

/* The condition is compiled, so that it stays correct, and never evaluated. */
#define HS_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))

#endif

#endif
