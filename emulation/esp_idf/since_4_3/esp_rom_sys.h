#pragma once
int esp_rom_printf(const char *format, ...);
