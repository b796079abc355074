#pragma once
int esp_log_early(const char *format, ...);
#define ESP_EARLY_LOGI(tag, ...) ((void)(tag), (void)esp_log_early(__VA_ARGS__))
#define ESP_EARLY_LOGW(tag, ...) ((void)(tag), (void)esp_log_early(__VA_ARGS__))
