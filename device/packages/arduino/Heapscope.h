/* The one header that the Arduino IDE looks for: it brings the headers of the library. */
#ifndef HEAPSCOPE_ARDUINO_H
#define HEAPSCOPE_ARDUINO_H

#include "heapscope/guard.h"
#include "heapscope/heap.h"
#include "heapscope/owners.h"
#include "heapscope/pool.h"
#include "heapscope/private.h"
#include "heapscope/recorder.h"
#include "heapscope/regions.h"

#endif
