"""Recordings of SEGGER SystemView with the heap events that ESP-IDF's heap tracing adds."""
