#pragma once
#include "esp_memory_utils.h"
#include "heap_memory_layout.h"
