/* Output of a program in emulation: into a buffer that is read when it has ended. */
#ifndef HOSTED_STDIO_H
#define HOSTED_STDIO_H

#include <stdarg.h>
#include <stddef.h>

typedef struct hosted_file FILE;
#define stdout ((FILE *)1)
#define stderr ((FILE *)2)
#define EOF (-1)

/* Conversions d i u x X o p s c %, with flags, width, precision and length; no floating point. */
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int fprintf(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int vprintf(const char *format, va_list arguments);
int vfprintf(FILE *file, const char *format, va_list arguments);
int vsnprintf(char *text, size_t size, const char *format, va_list arguments);
int putchar(int byte);
int fputc(int byte, FILE *file);
int puts(const char *text);
int fputs(const char *text, FILE *file);
int fflush(FILE *file);

#endif
