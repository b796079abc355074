"""The C file in front of a program's own allocators, and how CMake links it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from heapscope.capture.record.functions import ALIGNED, CALLOC, FREE, MALLOC, PLAIN, REALLOC, TEXT

#: The variable by which the recorder knows such a program. The linker has to export it.
EXPORTED = "heapscope_wrapped_calls"
EXPORT = f"-Wl,--export-dynamic-symbol={EXPORTED}"


def wrap_source(functions: Mapping[str, tuple[str, str]], families: Collection[str]) -> str:
    """`functions`: by name their kind and parameters. `families`: the allocators that the program
    has, which tell how its tasks are known."""
    giving = [name for name, (kind, _) in functions.items() if kind in _CALLS]
    names = "".join(f"{name}\\0" for name in giving)
    tasks = [text for kin, text in _TASKS if not kin.isdisjoint(families)]
    head = _HEAD.format(exported=EXPORTED, names=names)
    bodies = "".join(_function(name, *functions[name]) for name in functions)
    return head + (tasks[0] if tasks else _NO_TASK) + _ENTER.format(exported=EXPORTED) + bodies


def wrap_cmake(wraps: Iterable[str]) -> str:
    """`wraps`: the linker's options."""
    return _CMAKE.format(wraps="\n        ".join(wraps), export=EXPORT)


_CMAKE = """\
# Written by `heapscope record --wrap`. After include() of this file, heapscope_wrap(TARGET) links
# the program with heapscope_wrap.c. TARGET is the program, or a library of it: `app` of Zephyr,
# ${{COMPONENT_LIB}} of an ESP-IDF component.
set(HEAPSCOPE_WRAP_FOLDER "${{CMAKE_CURRENT_LIST_DIR}}")

function(heapscope_wrap target)
    set(wraps
        {wraps})
    set(export {export})
    target_sources(${{target}} PRIVATE "${{HEAPSCOPE_WRAP_FOLDER}}/heapscope_wrap.c")
    get_target_property(type ${{target}} TYPE)
    if(COMMAND zephyr_ld_options)
        zephyr_ld_options(${{wraps}} ${{export}})
        if(TARGET native_simulator) # links a second time
            target_link_options(native_simulator INTERFACE ${{export}})
        endif()
    elseif(type STREQUAL "EXECUTABLE")
        target_link_options(${{target}} PRIVATE ${{wraps}} ${{export}})
    else()
        target_link_options(${{target}} INTERFACE ${{wraps}} ${{export}})
    endif()
endfunction()
"""

_HEAD = """\
/* Written by `heapscope record --wrap`: it records the program's own allocators. Compile it
 * and link it with the program, together with the options beside it. Where the program is not
 * recorded, each function hands its call on. */
#include <stddef.h>
#include <stdint.h>

/* <heapscope/record_own.h> describes these calls. */
typedef struct calls {{
    int (*enter)(void);
    void (*leave)(void);
    void (*block)(int call, const void *block, size_t size, size_t align, uint32_t caps);
    void (*freed)(const void *block);
    void (*resize)(const void *block);
    void (*resized)(const void *block, size_t size, uint32_t caps);
    void (*task)(const char *name);
}} calls_t;

/* The functions that give memory; read by the recorder in the program's file. */
__attribute__((used, section("heapscope_wrap"))) static const char functions[] =
    "{names}";

/* The recorder sets the first field before the program starts. */
struct wrapped {{
    const calls_t *volatile calls;
    const char *functions;
}};
extern struct wrapped {exported};
__attribute__((used, visibility("default"))) struct wrapped {exported} = {{0, functions}};
"""

#: By the allocators of a program. All references are weak: a program may lack some, and the linker
#: leaves out a function that nobody else calls.
_TASKS = (
    (
        frozenset({"FreeRTOS", "ESP-IDF"}),
        """
__attribute__((weak)) long xTaskGetSchedulerState(void);
__attribute__((weak)) char *pcTaskGetName(void *task);

static const char *task_name(void)
{
    return xTaskGetSchedulerState && pcTaskGetName && (int)xTaskGetSchedulerState() == 2
               ? pcTaskGetName(NULL) /* the scheduler runs */
               : NULL;
}
""",
    ),
    (
        frozenset({"Zephyr k_malloc", "Zephyr k_heap", "Zephyr sys_heap"}),
        """
__attribute__((weak)) void *z_impl_k_sched_current_thread_query(void);
__attribute__((weak)) void *z_impl_z_current_get(void); /* before Zephyr 3.5 */
__attribute__((weak)) const char *k_thread_name_get(void *thread);

static const char *task_name(void)
{
    void *thread = z_impl_k_sched_current_thread_query ? z_impl_k_sched_current_thread_query()
                   : z_impl_z_current_get              ? z_impl_z_current_get()
                                                       : NULL;
    return thread && k_thread_name_get ? k_thread_name_get(thread) : NULL;
}
""",
    ),
)
_NO_TASK = """
static const char *task_name(void)
{
    return NULL;
}
"""

_ENTER = """
/* A task is a thread of its own on a host: its name is reported once. */
static void tell_task(const calls_t *calls)
{{
    static _Thread_local char told;
    const char *name = told ? NULL : task_name();
    if (name && name[0]) {{
        told = 1;
        calls->task(name);
    }}
}}

/* The capabilities that the outermost call asks for, or a call within it. */
static _Thread_local uint32_t asked;

static const calls_t *enter(uint32_t caps, int *outermost)
{{
    const calls_t *calls = {exported}.calls;
    *outermost = calls && calls->enter();
    asked = *outermost ? caps : asked | caps;
    if (*outermost) {{
        tell_task(calls);
    }}
    return calls;
}}

static void leave(const calls_t *calls)
{{
    if (calls) {{
        calls->leave();
    }}
}}
"""

_CALLS = {MALLOC: 1, CALLOC: 2, ALIGNED: 3, TEXT: 1}
#: The size that is recorded of a calloc: the largest number for a product that none can hold.
_PRODUCT = "each == 0 || count <= (size_t)-1 / each ? (size_t)count * each : (size_t)-1"
_COPIED = "made ? __builtin_strlen(made) + 1 : __builtin_strlen(text) + 1"
_RESULTS = {FREE: "void ", TEXT: "char *"}


def _function(name: str, kind: str, parameters: str) -> str:
    parameters = parameters or PLAIN[kind]
    names = [one.split()[-1].lstrip("*") for one in parameters.split(",")]
    size = _COPIED if kind == TEXT else _PRODUCT if "count" in names else "size"
    caps = "caps" if "caps" in names else "0"
    result = _RESULTS.get(kind, "void *")
    body = _BODIES.get(kind, _REQUEST).format(
        result=result,
        call=f"__real_{name}({', '.join(names)})",
        number=_CALLS.get(kind, 1),
        size=size,
        align="align" if "align" in names and kind == ALIGNED else "0",
    )
    declared = "".join(f"{result}{one}_{name}({parameters});\n" for one in ("__real", "__wrap"))
    return (
        f"\n{declared}{result}__wrap_{name}({parameters})\n{{\n    int outermost;\n"
        f"    const calls_t *calls = enter({caps}, &outermost);\n{body}}}\n"
    )


_REQUEST = """    {result}made = {call};
    if (outermost) {{
        calls->block({number}, made, {size}, {align}, asked);
    }}
    leave(calls);
    return made;
"""
_BODIES = {
    REALLOC: """    if (outermost && block) {{
        calls->resize(block);
    }}
    void *made = {call};
    if (outermost && block) {{
        calls->resized(made, size, asked);
    }} else if (outermost) {{
        calls->block(1, made, size, 0, asked);
    }}
    leave(calls);
    return made;
""",
    FREE: """    if (outermost && block) {{
        calls->freed(block);
    }}
    {call};
    leave(calls);
""",
}
