/*
 * The changes of the TLS workload to the library's own configuration (MBEDTLS_USER_CONFIG_FILE).
 * Everything else is the default of the release. The sizes come from make.py:
 * HS_TLS_IN, HS_TLS_OUT, HS_TLS_VARIABLE.
 */
#ifndef HEAPSCOPE_WORKLOADS_TLS_CONFIG_H
#define HEAPSCOPE_WORKLOADS_TLS_CONFIG_H

/* Both releases have them under these names. */
#undef MBEDTLS_SSL_IN_CONTENT_LEN
#define MBEDTLS_SSL_IN_CONTENT_LEN HS_TLS_IN
#undef MBEDTLS_SSL_OUT_CONTENT_LEN
#define MBEDTLS_SSL_OUT_CONTENT_LEN HS_TLS_OUT
#if HS_TLS_VARIABLE
#define MBEDTLS_SSL_VARIABLE_BUFFER_LENGTH
#endif

#define MBEDTLS_PLATFORM_MEMORY /* calloc and free are set at run time */

/* Time stands still, so that runs repeat; 4 bytes, as on the chips' 32-bit C libraries. */
#define MBEDTLS_PLATFORM_TIME_TYPE_MACRO long
#define MBEDTLS_PLATFORM_TIME_MACRO hs_fixed_time
long hs_fixed_time(long *out);
#undef MBEDTLS_HAVE_TIME_DATE /* the test certificates have expired, or will */

/* Code of the host: instructions of its processor, its sockets, clocks and files. */
#undef MBEDTLS_AESNI_C
#undef MBEDTLS_PADLOCK_C
#undef MBEDTLS_HAVE_ASM
#undef MBEDTLS_NET_C
#undef MBEDTLS_TIMING_C
#undef MBEDTLS_FS_IO
#undef MBEDTLS_PSA_ITS_FILE_C
#undef MBEDTLS_PSA_CRYPTO_STORAGE_C
#undef MBEDTLS_PSA_CRYPTO_C
#undef MBEDTLS_LMS_C /* needs PSA_CRYPTO_C */
#undef MBEDTLS_SELF_TEST

#endif
