/* The interface between the parts of the programs' C library. */
#ifndef HOSTED_H
#define HOSTED_H

#define HOSTED_OUTPUT 65536u
/* Mapped by program.py. */
#define HOSTED_MEMORY 0x40000000u
#define HOSTED_MEMORY_SIZE 0x10000000u

void hosted_write(char byte);

#endif
