/*
 * The environment that the next image of a process gets: the preload object for its word size, and
 * where the recorder is. Made on the caller's stack: a vfork's child changes nothing of its parent's.
 */
#ifndef HEAPSCOPE_RECORD_ENVIRONMENT_H
#define HEAPSCOPE_RECORD_ENVIRONMENT_H

#include "../shared.h"
#include "libc.h"

/* Copies a variable's value; false: it is not there, or too long. */
bool hs_rec_environment_find(char **environment, const char *name, char *out, size_t capacity);

/* A new image calls this once: `system` and `popen` hand its environment to the shell, so the
 * preload object in it must suit the shell's word size. */
void hs_rec_environment_begin(hs_rec_control_t *control);

/* The size of a patched copy: its pointers, the end included, and its bytes of text. */
size_t hs_rec_environment_count(char *const *environment);
size_t hs_rec_environment_text(char *const *environment);

/* Fills `out` and `text` with the environment for an image of that word size. */
void hs_rec_environment_patch(hs_rec_control_t *control, char *const *environment,
                              unsigned word_size, char **out, char *text);

/* Bytes of a pointer of the program in a file, through "#!" lines; ours where it cannot be told. */
unsigned hs_rec_image_word_size(const char *path);
unsigned hs_rec_image_word_size_of(int descriptor);

#endif
