/* Fetches documents over TLS. */
#ifndef FIRMWARE_TLS_CLIENT_H
#define FIRMWARE_TLS_CLIENT_H

/* All sessions, one after the other. The machine ends if the server cannot be reached or believed. */
void tls_client_run(void);

#endif
