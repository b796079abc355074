/* Memory for cJSON: with FIRMWARE_NODES above 0, so many nodes come from a pool of fixed blocks. */
#ifndef FIRMWARE_NODE_POOL_H
#define FIRMWARE_NODE_POOL_H

#include <stdbool.h>
#include <stddef.h>

bool node_pool_open(void); /* false: no room */
void *node_pool_malloc(size_t size);
void node_pool_free(void *block);

#endif
