#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void layout_add(const char *name, const uint32_t caps[3]);
int layout_part_of(const void *address); /* -1: none */
void *layout_memory(size_t part, size_t *size);
