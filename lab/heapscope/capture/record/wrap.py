"""The file by which a program's own allocators are recorded: a function in front of each of theirs,
where the linker puts it (--wrap)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from heapscope.capture.record.allocators import Look, look_at, said_of
from heapscope.errors import InputError
from heapscope.trace.names import printable

SOURCE, OPTIONS = "heapscope_wrap.c", "heapscope_wrap.txt"

MALLOC, CALLOC, ALIGNED, REALLOC, FREE = "malloc", "calloc", "aligned", "realloc", "free"
#: The parameters that a function has, unless its entry says others.
_PLAIN = {
    MALLOC: "size_t size",
    CALLOC: "size_t count, size_t each",
    ALIGNED: "size_t align, size_t size",
    REALLOC: "void *block, size_t size",
    FREE: "void *block",
}
KINDS = tuple(_PLAIN)

#: The kind of each function, and its parameters where they are others. A parameter called size,
#: count, each, align, block or caps is told; others are handed on. A k_timeout_t goes as the 64-bit
#: number that it is.
_FUNCTIONS: dict[str, tuple[str, str]] = {
    "pvPortMalloc": (MALLOC, ""),
    "pvPortCalloc": (CALLOC, ""),
    "vPortFree": (FREE, ""),
    "heap_caps_malloc": (MALLOC, "size_t size, uint32_t caps"),
    "heap_caps_calloc": (CALLOC, "size_t count, size_t each, uint32_t caps"),
    "heap_caps_aligned_alloc": (ALIGNED, "size_t align, size_t size, uint32_t caps"),
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
    "k_heap_alloc": (MALLOC, "void *heap, size_t size, long long timeout"),
    "k_heap_aligned_alloc": (
        ALIGNED,
        "void *heap, size_t align, size_t size, long long timeout",
    ),
    "k_heap_realloc": (REALLOC, "void *heap, void *block, size_t size, long long timeout"),
    "k_heap_free": (FREE, "void *heap, void *block"),
    "sys_heap_alloc": (MALLOC, "void *heap, size_t size"),
    "sys_heap_aligned_alloc": (ALIGNED, "void *heap, size_t align, size_t size"),
    "sys_heap_realloc": (REALLOC, "void *heap, void *block, size_t size"),
    "sys_heap_free": (FREE, "void *heap, void *block"),
    "umm_malloc": (MALLOC, ""),
    "umm_calloc": (CALLOC, ""),
    "umm_realloc": (REALLOC, ""),
    "umm_free": (FREE, ""),
    "tlsf_malloc": (MALLOC, "void *heap, size_t size"),
    "tlsf_memalign": (ALIGNED, "void *heap, size_t align, size_t size"),
    "tlsf_realloc": (REALLOC, "void *heap, void *block, size_t size"),
    "tlsf_free": (FREE, "void *heap, void *block"),
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


@dataclass(frozen=True, kw_only=True)
class _Tasks:
    """How a thread's task is known: by functions, with their declarations, which all have to be
    there. `when`: it can be asked for; `name`: its name."""

    functions: Mapping[str, str]
    when: str
    name: str


_TASKS = (
    _Tasks(
        functions={
            "xTaskGetSchedulerState": "long xTaskGetSchedulerState(void)",
            "pcTaskGetName": "char *pcTaskGetName(void *task)",
        },
        when="(int)xTaskGetSchedulerState() == 2 /* it runs */",
        name="pcTaskGetName(NULL)",
    ),
    _Tasks(
        functions={
            "z_impl_k_sched_current_thread_query": (
                "void *z_impl_k_sched_current_thread_query(void)"
            ),
            "k_thread_name_get": "const char *k_thread_name_get(void *thread)",
        },
        when="z_impl_k_sched_current_thread_query() != NULL",
        name="k_thread_name_get(z_impl_k_sched_current_thread_query())",
    ),
)
_TASK_NAMES = frozenset(name for one in _TASKS for name in one.functions)

_HOOK = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:=(\w+))?", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Wrap:
    """The written files. `functions`: those that are recorded. `beyond`: those that are static or
    hidden, and that no hook names."""

    source: Path
    options: Path
    functions: tuple[str, ...]
    beyond: tuple[str, ...]
    allocators: str


def write_wrap(folder: str | Path, program: Path, hooks: Iterable[str] = ()) -> Wrap:
    """Writes the file and the linker's options for a program that was built without them.
    InputError where the program has none of the functions, or the folder cannot be written."""
    named = dict(_hook(one) for one in hooks)
    known = _FUNCTIONS | named
    look = look_at(program, {*known, *_TASK_NAMES})
    found = [name for name in known if name in look.functions]
    functions = [name for name in found if name in named or look.functions[name] != "local"]
    beyond = [name for name in found if name not in functions]
    _check(program, look, functions, beyond, [name for name in named if name not in found])
    target = Path(folder)
    tasks = [one for one in _TASKS if all(name in look.functions for name in one.functions)]
    options = [f"-Wl,--wrap={name}" for name in functions]
    options.append("-Wl,--export-dynamic-symbol=heapscope_wrapped")
    try:
        target.mkdir(parents=True, exist_ok=True)
        text = _source({name: known[name] for name in functions}, tasks[:1])
        (target / SOURCE).write_text(text, encoding="ascii")
        (target / OPTIONS).write_text("\n".join(options) + "\n", encoding="ascii")
    except OSError as error:
        shown = printable(str(folder), limit=400)
        raise InputError(
            f"{shown}: cannot be written: {error.strerror}", remedy="give --wrap another folder"
        ) from None
    return Wrap(
        source=target / SOURCE,
        options=target / OPTIONS,
        functions=tuple(functions),
        beyond=tuple(beyond),
        allocators=said_of(look.allocators),
    )


def _hook(text: str) -> tuple[str, tuple[str, str]]:
    """The function, its kind and its parameters. Those of a known one may be left out."""
    found = _HOOK.fullmatch(text)
    if found is not None and found[2] in KINDS:
        return found[1], (found[2], "")
    if found is not None and found[2] is None and found[1] in _FUNCTIONS:
        return found[1], _FUNCTIONS[found[1]]
    raise InputError(
        f"'{printable(text)}' names no function to hook",
        remedy=f"write NAME=KIND, for example my_alloc=malloc; kinds: {', '.join(KINDS)}",
    )


def _check(
    program: Path, look: Look, functions: list[str], beyond: list[str], missing: list[str]
) -> None:
    shown = printable(str(program), limit=400)
    if missing:
        raise InputError(
            f"{shown}: has no function {', '.join(missing)}",
            remedy="check the name; a program that is stripped tells none",
        )
    if functions:
        return
    if beyond:
        raise InputError(
            f"{shown}: {', '.join(beyond)}: static or hidden functions; a linker can put another "
            "function in front of a hidden one alone",
            remedy=f"name a hidden one with --hook {beyond[0]}; make a static one global",
        )
    if look.stripped:
        raise InputError(f"{shown}: is stripped", remedy="build it without -s, and do not strip it")
    raise InputError(
        f"{shown}: has no allocator that is known here",
        remedy="name its functions: --hook my_alloc=malloc --hook my_free=free",
    )


# ---- the file ----

_HEAD = """\
/* Written by `heapscope record --wrap`: it records the program's own allocators. Compile it
 * and link it with the program, together with the options beside it. Where the program is not
 * recorded, each function hands its call on. */
#include <stddef.h>
#include <stdint.h>

__attribute__((weak)) int heapscope_own_enter(void);
__attribute__((weak)) void heapscope_own_leave(void);
__attribute__((weak)) void heapscope_own_block(int call, const void *block, size_t size,
                                               size_t align, uint32_t caps);
__attribute__((weak)) void heapscope_own_free(const void *block);
__attribute__((weak)) void heapscope_own_resize(const void *block);
__attribute__((weak)) void heapscope_own_resized(const void *block, size_t size, uint32_t caps);
__attribute__((weak)) void heapscope_task(const char *name);
"""

_ENTER = """
static int enter(void)
{
    if (!heapscope_own_enter) {
        return 0;
    }
    const int outermost = heapscope_own_enter();
    if (outermost) {
        tell_task();
    }
    return outermost;
}

static void leave(void)
{
    if (heapscope_own_leave) {
        heapscope_own_leave();
    }
}
"""

#: The size that is recorded of a calloc: the largest number for a product that none can hold.
_PRODUCT = "each == 0 || count <= (size_t)-1 / each ? (size_t)count * each : (size_t)-1"
_CALLS = {MALLOC: 1, CALLOC: 2, ALIGNED: 3}


def _source(functions: Mapping[str, tuple[str, str]], tasks: Iterable[_Tasks]) -> str:
    giving = [name for name, (kind, _) in functions.items() if kind in _CALLS]
    names = "".join(f"{name}\\0" for name in giving)
    marked = (
        '\n__attribute__((used, section("heapscope_wrap"))) const char heapscope_wrapped[] =\n'
        f'    "{names}";\n'
    )
    bodies = "".join(_function(name, *functions[name]) for name in functions)
    return _HEAD + marked + _task(tasks) + _ENTER + bodies


def _task(tasks: Iterable[_Tasks]) -> str:
    for one in tasks:
        declared = "".join(f"{function};\n" for function in one.functions.values())
        return f"""
{declared}
/* Once in each thread: a task is a thread of its own on a host. */
static void tell_task(void)
{{
    static _Thread_local char told;
    if (!told && heapscope_task && {one.when}) {{
        told = 1;
        const char *name = {one.name};
        if (name && name[0]) {{
            heapscope_task(name);
        }}
    }}
}}
"""
    return "\nstatic void tell_task(void)\n{\n}\n"


def _function(name: str, kind: str, parameters: str) -> str:
    parameters = parameters or _PLAIN[kind]
    names = [one.split()[-1].lstrip("*") for one in parameters.split(",")]
    result = "void" if kind == FREE else "void *"
    call = f"__real_{name}({', '.join(names)})"
    caps = "caps" if "caps" in names else "0"
    body = _BODIES[kind].format(
        call=call,
        number=_CALLS.get(kind, 1),
        size=_PRODUCT if kind == CALLOC else "size",
        align="align" if "align" in names else "0",
        caps=caps,
    )
    space = "" if result.endswith("*") else " "
    return (
        f"\n{result}{space}__real_{name}({parameters});\n"
        f"{result}{space}__wrap_{name}({parameters});\n"
        f"{result}{space}__wrap_{name}({parameters})\n{{\n    const int outermost = enter();\n"
        f"{body}}}\n"
    )


_REQUEST = """    void *made = {call};
    if (outermost) {{
        heapscope_own_block({number}, made, {size}, {align}, {caps});
    }}
    leave();
    return made;
"""
_BODIES = {
    MALLOC: _REQUEST,
    CALLOC: _REQUEST,
    ALIGNED: _REQUEST,
    REALLOC: """    if (outermost && block) {{
        heapscope_own_resize(block);
    }}
    void *made = {call};
    if (outermost && block) {{
        heapscope_own_resized(made, size, {caps});
    }} else if (outermost) {{
        heapscope_own_block(1, made, size, 0, {caps});
    }}
    leave();
    return made;
""",
    FREE: """    if (outermost && block) {{
        heapscope_own_free(block);
    }}
    {call};
    leave();
""",
}
