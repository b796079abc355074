/* The interface between the parts of the programs' C library. */
#ifndef HOSTED_H
#define HOSTED_H

#define HOSTED_OUTPUT 65536u
/* Mapped by program.py, unless the board has it elsewhere. */
#ifndef HOSTED_MEMORY
#define HOSTED_MEMORY 0x40000000u
#define HOSTED_MEMORY_SIZE 0x10000000u
#endif

void hosted_write(char byte);

#endif
