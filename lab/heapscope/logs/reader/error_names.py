"""Names of errors, by their numbers (mbedtls/*.h of 2.28 and 3.6, esp_err.h, errno.h of newlib)."""

from __future__ import annotations

_TLS = {
    0x7F00: "MBEDTLS_ERR_SSL_ALLOC_FAILED",
    0x6180: "MBEDTLS_ERR_CIPHER_ALLOC_FAILED",
    0x5180: "MBEDTLS_ERR_MD_ALLOC_FAILED",
    0x4D80: "MBEDTLS_ERR_ECP_ALLOC_FAILED",
    0x3F80: "MBEDTLS_ERR_PK_ALLOC_FAILED",
    0x3400: "MBEDTLS_ERR_DHM_ALLOC_FAILED",
    0x2880: "MBEDTLS_ERR_X509_ALLOC_FAILED",
    0x1180: "MBEDTLS_ERR_PEM_ALLOC_FAILED",
    0x008D: "PSA_ERROR_INSUFFICIENT_MEMORY",
    0x006A: "MBEDTLS_ERR_ASN1_ALLOC_FAILED",
    0x0010: "MBEDTLS_ERR_MPI_ALLOC_FAILED",
    0x0001: "MBEDTLS_ERR_ERROR_GENERIC_ERROR",
    0x7780: "MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE",
    0x7280: "MBEDTLS_ERR_SSL_CONN_EOF",
    0x2700: "MBEDTLS_ERR_X509_CERT_VERIFY_FAILED",
    0x004C: "MBEDTLS_ERR_NET_RECV_FAILED",
    0x0050: "MBEDTLS_ERR_NET_CONN_RESET",
}
_OTHERS = {0x101: "ESP_ERR_NO_MEM", 12: "ENOMEM"}
_LOW = 0x7F  # a code is the sum of a module's part and a helper's, which is below this


def meaning_of(code: str | int) -> str | None:
    """None: it is not known. A text is a code of mbedTLS, "-0x7F00"."""
    if isinstance(code, int):
        return _OTHERS.get(code)
    number = -int(code, 16)
    parts = [_TLS.get(number)]
    if parts[0] is None and number & _LOW and number & ~_LOW:
        parts = [_TLS.get(number & ~_LOW), _TLS.get(number & _LOW)]
    return " + ".join(part for part in parts if part) or None
