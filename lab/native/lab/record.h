/*
 * A program of this machine, recorded as it runs: the part of the lab's library that is Linux's only. A C
 * header and declarations for the Python binding, as lab.h is, with the same rules.
 */
#ifndef HEAPSCOPE_NATIVE_RECORD_H
#define HEAPSCOPE_NATIVE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "rows/recorder.h"

/* cffi: begin */
typedef struct hs_lab_record hs_lab_record_t;

/* The objects to preload ("": none), the recorder's name and what is recorded, as metadata. `modes`:
 * 1 a full ring drops events, 8 an image's trace waits for its START, 4 the program's own allocators are
 * left out, and not the C library's, where it
 * has the wrap object. `addresses`: blocks are known by these. `frames`: of a stack; 0: none.
 * NULL without shared memory. */
hs_lab_record_t *hs_lab_record_new(const char *preload64, const char *preload32,
                                   const char *version, const char *program, uint32_t modes,
                                   uint32_t addresses, uint32_t frames);
void hs_lab_record_delete(hs_lab_record_t *record);
/* Value of the environment variable HEAPSCOPE_RECORD for the program. */
const char *hs_lab_record_variable(hs_lab_record_t *record);
/* Takes records for so long, or until something is ready or wanted; returns how many. */
uint64_t hs_lab_record_pump(hs_lab_record_t *record, uint32_t milliseconds);
void hs_lab_record_close(hs_lab_record_t *record); /* nothing is recorded from now on */
size_t hs_lab_record_images(const hs_lab_record_t *record);
size_t hs_lab_record_running(const hs_lab_record_t *record);
uint32_t hs_lab_record_missed(hs_lab_record_t *record); /* processes without a place */
/* A recorded program wrote over the memory that it shares with the recorder; nobody was missed, then. */
int hs_lab_record_overwritten(const hs_lab_record_t *record);
/* 1: a program waits for the object of 32 bit. Answer with 1, it is there, or 0. */
int hs_lab_record_object_wanted(hs_lab_record_t *record);
void hs_lab_record_object(hs_lab_record_t *record, int there);
/* The first image from `index` on with bytes to take, or over; SIZE_MAX: none. */
size_t hs_lab_record_ready(const hs_lab_record_t *record, size_t index);
void hs_lab_record_image(hs_lab_record_t *record, size_t index, hs_lab_record_image_t *out);
const char *hs_lab_record_program(hs_lab_record_t *record, size_t index); /* path; untrusted */
size_t hs_lab_record_take(hs_lab_record_t *record, size_t index, uint8_t *out, size_t capacity);
/* Frames of a stack (from 1), innermost first; files and where they lay. */
size_t hs_lab_record_stack(hs_lab_record_t *record, size_t index, size_t stack, uint64_t *out,
                           size_t capacity);
/* How many modules were known when the stack was: later ones may lie where they had lain. */
size_t hs_lab_record_stack_modules(hs_lab_record_t *record, size_t index, size_t stack);
const char *hs_lab_record_module(hs_lab_record_t *record, size_t index, size_t module,
                                 hs_lab_record_module_t *out);
void hs_lab_record_site(hs_lab_record_t *record, size_t index, uint32_t site, const char *name,
                        size_t length);
/* A fact for the metadata of an image's trace; before most of its events. */
void hs_lab_record_fact(hs_lab_record_t *record, size_t index, const char *key, const char *value);
void hs_lab_record_finish(hs_lab_record_t *record, size_t index);  /* its end chunk */
void hs_lab_record_release(hs_lab_record_t *record, size_t index); /* its memory */
/* From now on this process notes SIGINT and SIGQUIT, and does nothing else with them. Those that came
 * since the last call, bit n for signal n: of another process (1), or of the terminal (0). */
void hs_lab_record_watch_interrupts(void);
uint32_t hs_lab_record_interrupts(uint32_t of_process);
/* Has a thread of a process call a function: with a copy of `text`, unless it is NULL, and `number`; or
 * with `number`. A thread that runs in one of the avoided ranges (start, end) is not taken. `library`:
 * the C library's range, `signal_return`: where its signal handlers return to. 0 done; 1 refused,
 * 2 it ended, 3 no moment came, 4 a fault, 5 it did not return, 6 not on this processor. */
uint32_t hs_lab_record_inject(uint32_t pid, uint64_t function, const char *text, uint64_t number,
                              const uint64_t *avoided, size_t avoided_count,
                              const uint64_t *library, uint64_t signal_return, double seconds,
                              uint64_t *result, int32_t *error);
/* cffi: end */

#endif
