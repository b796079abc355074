/* The options with which compat/libc is built. Private to it. */
#ifndef HEAPSCOPE_LIBC_CONFIGURATION_H
#define HEAPSCOPE_LIBC_CONFIGURATION_H

#include <stddef.h>
#include <stdint.h>

#define HS_LIBC_STATIC 1
#define HS_LIBC_GIVEN 2
#define HS_LIBC_SBRK 3
#define HS_LIBC_PAGES 4
#define HS_LIBC_QUERIED 5

#ifndef HS_LIBC_MEMORY
#define HS_LIBC_MEMORY HS_LIBC_STATIC
#endif
#if HS_LIBC_MEMORY < HS_LIBC_STATIC || HS_LIBC_MEMORY > HS_LIBC_QUERIED
#error "HS_LIBC_MEMORY: HS_LIBC_STATIC, HS_LIBC_GIVEN, HS_LIBC_SBRK, HS_LIBC_PAGES or HS_LIBC_ASKED"
#endif

#ifndef HS_LIBC_SIZE
#if HS_LIBC_MEMORY == HS_LIBC_PAGES
#define HS_LIBC_SIZE 0x02000000 /* HS_WIDE_MAX */
#else
#define HS_LIBC_SIZE 65536
#endif
#endif

/* alignof(max_align_t), in a form that #if understands. */
#ifdef __BIGGEST_ALIGNMENT__
#if defined(__SIZEOF_LONG_DOUBLE__) && __SIZEOF_LONG_DOUBLE__ == 16
#define HS_LIBC_MAX_ALIGN 16
#elif defined(__i386__)
#define HS_LIBC_MAX_ALIGN 16
#else
#define HS_LIBC_MAX_ALIGN 8
#endif
#else
#define HS_LIBC_MAX_ALIGN 16
#endif

#ifndef HS_LIBC_ALIGNMENT
#define HS_LIBC_ALIGNMENT HS_LIBC_MAX_ALIGN
#endif
#ifndef HS_LIBC_SMALLER_ALIGNMENT
#define HS_LIBC_SMALLER_ALIGNMENT 0
#endif
#if HS_LIBC_ALIGNMENT != 4 && HS_LIBC_ALIGNMENT != 8 && HS_LIBC_ALIGNMENT != 16
#error "HS_LIBC_ALIGNMENT: 4, 8 or 16"
#endif
#if HS_LIBC_ALIGNMENT < HS_LIBC_MAX_ALIGN && !HS_LIBC_SMALLER_ALIGNMENT
#error                                                                                             \
    "HS_LIBC_ALIGNMENT is below max_align_t's: define HS_LIBC_SMALLER_ALIGNMENT as 1 if that is meant"
#endif
#if HS_LIBC_ALIGNMENT >= HS_LIBC_MAX_ALIGN
_Static_assert(HS_LIBC_ALIGNMENT >= _Alignof(max_align_t), "any object fits into a block");
#endif

/* newlib's way: its own functions call the forms with a reentrancy argument. They have no prefix, so
 * that with one they stay newlib's. */
#ifndef HS_LIBC_NEWLIB
#if defined(__NEWLIB__) && !defined(__PICOLIBC__) && !defined(HS_LIBC_PREFIX)
#define HS_LIBC_NEWLIB 1
#else
#define HS_LIBC_NEWLIB 0
#endif
#endif

/* HS_LIBC_PREFIX: what stands before the names, for a program that keeps the C library's own too. */
#ifdef HS_LIBC_PREFIX
#define HS_LIBC_JOIN_(prefix, call) prefix##call
#define HS_LIBC_JOIN(prefix, call) HS_LIBC_JOIN_(prefix, call)
#define HS_LIBC_NAME(call) HS_LIBC_JOIN(HS_LIBC_PREFIX, call)
#else
#define HS_LIBC_NAME(call) call
#endif

#endif
