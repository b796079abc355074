#pragma once
#define IRAM_ATTR __attribute__((section(".iram1")))
