#ifndef HOSTED_SETJMP_H
#define HOSTED_SETJMP_H

typedef unsigned int jmp_buf[16];

int setjmp(jmp_buf place) __attribute__((returns_twice));
_Noreturn void longjmp(jmp_buf place, int value);

#endif
