"""The forms in which a device running ESP-IDF prints its heap: one file a form, `contents.py` reads
them all.

The forms are those of ESP-IDF's components/heap (heap_caps.c, heap_trace_standalone.c,
heap_task_info.c) and of its examples, v3.3 to v5.5.
"""
