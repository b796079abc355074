/* For a program in emulation. The memory is not that of the heap under test: memory.c. */
#ifndef HOSTED_STDLIB_H
#define HOSTED_STDLIB_H

#include <stddef.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void free(void *block);
_Noreturn void exit(int code);
_Noreturn void abort(void);
unsigned long long strtoull(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
int atoi(const char *text);
int abs(int value);
void qsort(void *items, size_t count, size_t size, int (*order)(const void *, const void *));
char *getenv(const char *name); /* always NULL */

#endif
