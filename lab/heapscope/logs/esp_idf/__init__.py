"""A heap trace that a device running ESP-IDF printed, out of its log into a trace. All that the log
tells beside it is answered by `heapscope.log`.

The forms are those of ESP-IDF's components/heap (heap_trace_standalone.c), v3.3 to v6.1.
"""
