/* A task that reads documents with cJSON and prints what is in them. */
#ifndef FIRMWARE_JSON_WORKER_H
#define FIRMWARE_JSON_WORKER_H

#include <stdbool.h>

bool json_worker_start(void);
/* Hands on a document, a block that the worker frees. Waits while the worker has three. */
void json_worker_take(char *document);
/* Waits until the worker has read all. */
void json_worker_finish(void);

#endif
