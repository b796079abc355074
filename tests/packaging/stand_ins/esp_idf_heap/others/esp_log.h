#pragma once
#include "esp_rom_sys.h"
#define ESP_EARLY_LOGI(tag, ...) ((void)(tag), (void)(0 && esp_rom_printf(__VA_ARGS__)))
