/* ESP-IDF's, where the program has it; else as much of it as the heap's interfaces need. */
#ifndef HEAPSCOPE_ESP_ERR_H
#define HEAPSCOPE_ESP_ERR_H
#ifdef __GNUC__
#pragma GCC system_header
#endif

#if defined(__has_include_next) && __has_include_next(<esp_err.h>)
#include_next <esp_err.h>
#else

#include <stdint.h>
#include <stdlib.h>

typedef int esp_err_t;
#define ESP_OK 0
#define ESP_FAIL -1
#define ESP_ERR_NO_MEM 0x101
#define ESP_ERR_INVALID_ARG 0x102
#define ESP_ERR_INVALID_STATE 0x103
#define ESP_ERR_INVALID_SIZE 0x104
#define ESP_ERR_NOT_FOUND 0x105
#define ESP_ERR_NOT_SUPPORTED 0x106
#define ESP_ERR_TIMEOUT 0x107
#define ESP_ERROR_CHECK(call) ((call) == ESP_OK ? (void)0 : abort())

#endif
#endif
