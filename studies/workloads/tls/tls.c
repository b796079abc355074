/*
 * Records the TLS client alone: tls OUT.hst SERVER rsa|ec CONFIG. CONFIG goes into the metadata.
 * Prints what a handshake takes and leaves, in bytes asked of mbedtls_calloc.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mbedtls/platform.h"
#include "mbedtls/version.h"

#include "client.h"

static hs_rec_t *rec; /* mbedTLS's hooks have no context */

static void *recorded_calloc(size_t count, size_t size)
{
    return hs_rec_calloc(rec, count, size);
}

static void recorded_free(void *block)
{
    hs_rec_free(rec, block);
}

int main(int count, char **arguments)
{
    if (count != 5) {
        fprintf(stderr, "usage: %s OUT.hst SERVER rsa|ec CONFIG\n", arguments[0]);
        return 2;
    }
    rec = hs_rec_open(arguments[1], MBEDTLS_VERSION_STRING_FULL " client", arguments[4]);
    if (rec == NULL) {
        fprintf(stderr, "%s: cannot be written\n", arguments[1]);
        return 2;
    }
    mbedtls_platform_set_calloc_free(recorded_calloc, recorded_free);
    hs_rec_task(rec, "tls");
    hs_client_plan_t plan = {
        .server = arguments[2],
        .keys = strcmp(arguments[3], "ec") == 0 ? HS_KEYS_EC : HS_KEYS_RSA,
        .connections = 5,
        .rec = rec,
    };
    hs_client_use_t use;
    int error = hs_client_run(&plan, &use);
    hs_rec_mark(rec, "end");
    hs_status_t status = hs_rec_close(rec);
    if (error != 0 || status != HS_OK) {
        fprintf(stderr, "the client failed: -0x%04X; recording: %d\n", (unsigned)-error, status);
        return 1;
    }
    printf("peak %" PRIu64 " after %" PRIu64 " refused %d\n", use.peak, use.after, use.refused);
    return 0;
}
