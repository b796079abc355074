#pragma once
void esp_system_abort(const char *details) __attribute__((noreturn));
