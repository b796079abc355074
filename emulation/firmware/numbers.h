/* Functions that cJSON wants of a C library beyond emulation/hosted. Included before its first line. */
#ifndef FIRMWARE_NUMBERS_H
#define FIRMWARE_NUMBERS_H

/* A decimal number. Exact to the last bit up to 15 digits and powers of ten up to 22; beyond, near. */
double strtod(const char *text, char **end);

/* Only its printing calls them, which is not linked. */
int sprintf(char *text, const char *format, ...);
int sscanf(const char *text, const char *format, ...);

#endif
