/* mbedTLS's configuration beyond its release's own: a client without a system (MBEDTLS_USER_CONFIG_FILE). */
#ifndef FIRMWARE_TLS_CONFIG_H
#define FIRMWARE_TLS_CONFIG_H

/* Given where it matters: the other files are compiled once for all lengths. */
#ifndef FIRMWARE_TLS_IN
#define FIRMWARE_TLS_IN 16384
#endif

#define MBEDTLS_NO_PLATFORM_ENTROPY
#define MBEDTLS_SSL_IN_CONTENT_LEN FIRMWARE_TLS_IN
#define MBEDTLS_SSL_OUT_CONTENT_LEN 4096

#undef MBEDTLS_HAVE_TIME
#undef MBEDTLS_HAVE_TIME_DATE
#undef MBEDTLS_AESNI_C
#undef MBEDTLS_AESCE_C
#undef MBEDTLS_PADLOCK_C
#undef MBEDTLS_HAVE_ASM
#undef MBEDTLS_NET_C
#undef MBEDTLS_TIMING_C
#undef MBEDTLS_FS_IO
#undef MBEDTLS_ENTROPY_C
#undef MBEDTLS_PSA_ITS_FILE_C
#undef MBEDTLS_PSA_CRYPTO_STORAGE_C
#undef MBEDTLS_PSA_CRYPTO_C
#undef MBEDTLS_LMS_C
#undef MBEDTLS_SELF_TEST
#undef MBEDTLS_SSL_SRV_C

#endif
