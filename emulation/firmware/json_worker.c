#include "json_worker.h"

#include <stdio.h>
#include <stdlib.h>

#include "cJSON.h"
#include "heapscope/port.h"
#include "memory.h"
#include "node_pool.h"
#include "small_kernel.h"

#define WAITING 3u

static void *slots[WAITING];
static kernel_mailbox_t documents = {.slots = slots, .size = WAITING};
static kernel_semaphore_t finished;
static char no_more[1];

static double number_of(const cJSON *object, const char *name)
{
    const cJSON *const item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

/* Prints how many readings {"document": N, "readings": [{"sensor": S, "value": V}, ...]} has. */
static void read_document(char *document)
{
    cJSON *const tree = cJSON_Parse(document);
    free(document);
    if (tree == NULL) {
        printf("json: not read\n");
        return;
    }
    unsigned readings = 0;
    double sum = 0;
    const cJSON *reading;
    cJSON_ArrayForEach(reading, cJSON_GetObjectItemCaseSensitive(tree, "readings"))
    {
        readings++;
        sum += number_of(reading, "value") * 4; /* whole quarters */
    }
    memory_mark("document read");
    hs_port_lock(NULL); /* the line in one piece */
    printf("json: document %u has %u readings, %u quarters together\n",
           (unsigned)number_of(tree, "document"), readings, (unsigned)sum);
    hs_port_unlock(NULL);
    cJSON_Delete(tree);
}

static void work(void *unused)
{
    (void)unused;
    void *document;
    while (kernel_fetch(&documents, &document, KERNEL_FOREVER) && document != no_more) {
        read_document(document);
    }
    kernel_give(&finished);
}

bool json_worker_start(void)
{
    cJSON_Hooks hooks = {node_pool_malloc, node_pool_free};
    cJSON_InitHooks(&hooks);
    return kernel_create("json", work, NULL, 5, 4096);
}

void json_worker_take(char *document)
{
    kernel_send(&documents, document, KERNEL_FOREVER);
}

void json_worker_finish(void)
{
    kernel_send(&documents, no_more, KERNEL_FOREVER);
    kernel_take(&finished, KERNEL_FOREVER);
}
