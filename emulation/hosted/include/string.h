#ifndef HOSTED_STRING_H
#define HOSTED_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);
int memcmp(const void *one, const void *other, size_t count);
void *memchr(const void *from, int byte, size_t count);
size_t strlen(const char *text);
int strcmp(const char *one, const char *other);
int strncmp(const char *one, const char *other, size_t count);
char *strchr(const char *text, int byte);
char *strstr(const char *text, const char *part);
char *strcpy(char *restrict to, const char *restrict from);
char *strncpy(char *restrict to, const char *restrict from, size_t count);
char *strcat(char *restrict to, const char *restrict from);

#endif
