/*
 * The preload object's own declarations of what it takes from the program's C library. It is built
 * without the headers of a C library, so that a compiler for the other word size will do. The
 * object names no version of a library, so that one object serves every glibc and musl.
 */
#ifndef HEAPSCOPE_RECORD_LIBC_H
#define HEAPSCOPE_RECORD_LIBC_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uintptr_t hs_rec_pthread_t; /* both libraries: a word */

#define HS_REC_RTLD_NEXT ((void *)-1)

extern char **environ;

int *__errno_location(void);
long syscall(long number, ...);
int getpagesize(void);
char *strchr(const char *text, int letter);
void *memcpy(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);
size_t strlen(const char *text);
int strncmp(const char *left, const char *right, size_t count);
int strcmp(const char *left, const char *right);

/* Not in every program: older glibc has them in libraries of their own. */
__attribute__((weak)) void *dlsym(void *handle, const char *name);
__attribute__((weak)) hs_rec_pthread_t pthread_self(void);
__attribute__((weak)) int pthread_atfork(void (*prepare)(void), void (*parent)(void),
                                         void (*child)(void));
/* glibc exports this one in its place. */
__attribute__((weak)) int __register_atfork(void (*prepare)(void), void (*parent)(void),
                                            void (*child)(void), void *object);
/* Dl_info. */
typedef struct hs_rec_place {
    const char *file;
    void *base;
    const char *symbol;
    void *symbol_address;
} hs_rec_place_t;
__attribute__((weak)) int dladdr(const void *address, hs_rec_place_t *out);
__attribute__((weak)) const char *gnu_get_libc_version(void);
/* struct timespec of this word size. */
typedef struct hs_rec_timespec {
    long seconds, nanoseconds;
} hs_rec_timespec_t;
#define HS_REC_CLOCK_MONOTONIC 1
__attribute__((weak)) int clock_gettime(int clock, hs_rec_timespec_t *out);

/* Whether this object is made for programs that run already. */
#ifndef HS_REC_IS_ATTACHED
#define HS_REC_IS_ATTACHED 0
#endif

/* The name of a function that stands in front of the program's. */
#if HS_REC_IS_ATTACHED
#define HS_REC_HOOK(name) hs_rec_our_##name /* the program's slots are made to lead to it */
#else
#define HS_REC_HOOK(name) name
#endif

#define HS_REC_EXPORT __attribute__((visibility("default")))

#define HS_REC_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define HS_REC_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#endif
