"""The functions of allocators in front of which the linker can put another one: their kinds and
parameters."""

from __future__ import annotations

MALLOC, CALLOC, ALIGNED, REALLOC, FREE = "malloc", "calloc", "aligned", "realloc", "free"
TEXT = "text"  #: a copy of a text, which is as long as the text turns out to be
#: The parameters that a function has, unless its entry says others.
PLAIN = {
    MALLOC: "size_t size",
    CALLOC: "size_t count, size_t each",
    ALIGNED: "size_t align, size_t size",
    REALLOC: "void *block, size_t size",
    FREE: "void *block",
    TEXT: "const char *text",
}
KINDS = (MALLOC, CALLOC, ALIGNED, REALLOC, FREE)  #: that a user can name

#: The kind of each function, and its parameters where they are others. A parameter called
#: size, count, each, align, block or caps is recorded; others are handed on. A k_timeout_t goes as
#: the 64-bit number that it is.
FUNCTIONS: dict[str, tuple[str, str]] = {
    "pvPortMalloc": (MALLOC, ""),
    "pvPortCalloc": (CALLOC, ""),
    "vPortFree": (FREE, ""),
    "heap_caps_malloc": (MALLOC, "size_t size, uint32_t caps"),
    "heap_caps_calloc": (CALLOC, "size_t count, size_t each, uint32_t caps"),
    "heap_caps_aligned_alloc": (ALIGNED, "size_t align, size_t size, uint32_t caps"),
    "heap_caps_aligned_calloc": (
        ALIGNED,
        "size_t align, size_t count, size_t each, uint32_t caps",
    ),
    "heap_caps_realloc": (REALLOC, "void *block, size_t size, uint32_t caps"),
    "heap_caps_free": (FREE, ""),
    "heap_caps_aligned_free": (FREE, ""),
    "multi_heap_malloc": (MALLOC, "void *heap, size_t size"),
    "multi_heap_aligned_alloc": (ALIGNED, "void *heap, size_t size, size_t align"),
    "multi_heap_realloc": (REALLOC, "void *heap, void *block, size_t size"),
    "multi_heap_free": (FREE, "void *heap, void *block"),
    "k_malloc": (MALLOC, ""),
    "k_calloc": (CALLOC, ""),
    "k_aligned_alloc": (ALIGNED, ""),
    "k_realloc": (REALLOC, ""),
    "k_free": (FREE, ""),
    "z_thread_aligned_alloc": (ALIGNED, ""),
    "k_heap_alloc": (MALLOC, "void *heap, size_t size, long long timeout"),
    "k_heap_aligned_alloc": (
        ALIGNED,
        "void *heap, size_t align, size_t size, long long timeout",
    ),
    "k_heap_calloc": (CALLOC, "void *heap, size_t count, size_t each, long long timeout"),
    "k_heap_realloc": (REALLOC, "void *heap, void *block, size_t size, long long timeout"),
    "k_heap_free": (FREE, "void *heap, void *block"),
    "sys_heap_alloc": (MALLOC, "void *heap, size_t size"),
    "sys_heap_aligned_alloc": (ALIGNED, "void *heap, size_t align, size_t size"),
    "sys_heap_realloc": (REALLOC, "void *heap, void *block, size_t size"),
    "sys_heap_aligned_realloc": (REALLOC, "void *heap, void *block, size_t align, size_t size"),
    "sys_heap_free": (FREE, "void *heap, void *block"),
    "umm_malloc": (MALLOC, ""),
    "umm_calloc": (CALLOC, ""),
    "umm_realloc": (REALLOC, ""),
    "umm_free": (FREE, ""),
    "tlsf_malloc": (MALLOC, "void *heap, size_t size"),
    "tlsf_memalign": (ALIGNED, "void *heap, size_t align, size_t size"),
    "tlsf_realloc": (REALLOC, "void *heap, void *block, size_t size"),
    "tlsf_free": (FREE, "void *heap, void *block"),
    "_malloc_r": (MALLOC, "void *own, size_t size"),
    "_calloc_r": (CALLOC, "void *own, size_t count, size_t each"),
    "_memalign_r": (ALIGNED, "void *own, size_t align, size_t size"),
    "_realloc_r": (REALLOC, "void *own, void *block, size_t size"),
    "_free_r": (FREE, "void *own, void *block"),
    "mem_malloc": (MALLOC, "unsigned size"),
    "mem_calloc": (CALLOC, "unsigned count, unsigned each"),
    "mem_trim": (REALLOC, "void *block, unsigned size"),
    "mem_free": (FREE, ""),
    "lv_malloc": (MALLOC, ""),
    "lv_calloc": (CALLOC, ""),
    "lv_zalloc": (MALLOC, ""),
    "lv_malloc_zeroed": (MALLOC, ""),
    "lv_realloc": (REALLOC, ""),
    "lv_free": (FREE, ""),
    "lv_mem_alloc": (MALLOC, ""),
    "lv_mem_realloc": (REALLOC, ""),
    "lv_mem_free": (FREE, ""),
}

CPLUSPLUS = "_Z"  #: new and delete begin so, which are in a library that not every program has
#: The C library's and C++'s, as the program itself calls them: where its allocator is a name for
#: them.
LIBRARY: dict[str, tuple[str, str]] = {
    "malloc": (MALLOC, ""),
    "calloc": (CALLOC, ""),
    "realloc": (REALLOC, ""),
    "aligned_alloc": (ALIGNED, ""),
    "memalign": (ALIGNED, ""),
    "strdup": (TEXT, ""),
    "strndup": (TEXT, "const char *text, size_t most"),
    "free": (FREE, ""),
    "_Znwm": (MALLOC, ""),
    "_Znam": (MALLOC, ""),
    "_Znwj": (MALLOC, ""),
    "_Znaj": (MALLOC, ""),
    "_ZdlPv": (FREE, ""),
    "_ZdaPv": (FREE, ""),
    "_ZdlPvm": (FREE, "void *block, size_t size"),
    "_ZdaPvm": (FREE, "void *block, size_t size"),
    "_ZdlPvj": (FREE, "void *block, size_t size"),
    "_ZdaPvj": (FREE, "void *block, size_t size"),
}
