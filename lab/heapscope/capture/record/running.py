"""A process that runs already: whether its heap can be recorded, and what has to be known of it."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

from heapscope.base.elf import DAMAGE
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.capture.record.objects import PRELOAD

_START_IT = "start it with heapscope record"
#: mov $15, %rax; syscall: where the C library has signal handlers return to.
_SIGNAL_RETURN = bytes.fromhex("48c7c00f0000000f05")
#: Files in whose code a thread may hold a lock of the allocator, of the loader, or of both.
_LOCKING = ("libc.so", "libc-", "libpthread", "ld-linux", "ld-2", "libdl", "libgcc_s", "libunwind")
_OWN_MALLOC = ("malloc", "free")


@dataclass(frozen=True, kw_only=True)
class Mapped:
    """A file in the process's memory. `base`: where its first byte is."""

    path: str
    base: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Running:
    """`dlopen`, `dlerror`: addresses in the process."""

    pid: int
    command: tuple[str, ...]
    program: Path
    dlopen: int
    dlerror: int
    library: tuple[int, int]
    avoided: tuple[tuple[int, int], ...]
    signal_return: int


def find_running(pid: int, attach: Path) -> Running:
    """InputError where it is not there, or cannot be recorded: why, and what helps."""
    try:
        return _running(pid, attach)
    except (FileNotFoundError, ProcessLookupError):
        raise InputError(f"process {pid} has exited", remedy="check its number with ps") from None


def _running(pid: int, attach: Path) -> Running:
    shown = _there(pid)
    _refuse_state(pid, shown)
    program = Path(f"/proc/{pid}/exe")
    _refuse_program(program, shown)
    mapped = list(mappings(pid))
    _refuse_recorded(mapped, shown)
    _refuse_elsewhere(pid, shown, attach)
    library = next((one for one in mapped if _is(one.path, ("libc.so", "libc-"))), None)
    if library is None:
        musl = any(_is(one.path, ("ld-musl",)) for one in mapped)
        what = "uses musl, whose loader takes no such object later" if musl else "has no C library"
        raise InputError(f"{shown}: {what}", remedy=_START_IT)
    places = {**_symbols(pid, library, ("dlopen", "dlerror", "malloc"))}
    others = [one for one in mapped if _is(one.path, ("libdl",))]
    for other in others:  # glibc before 2.34
        places |= _symbols(pid, other, ("dlopen", "dlerror"))
    if "dlopen" not in places or "dlerror" not in places:
        raise InputError(f"{shown}: its C library has no dlopen", remedy=_START_IT)
    allocators = [one for one in mapped if one is not library and _defines_malloc(pid, one)]
    avoided = [one for one in mapped if _is(one.path, _LOCKING) or one.path == str(attach)]
    return Running(
        pid=pid,
        command=_command(pid),
        program=program.resolve(),
        dlopen=places["dlopen"],
        dlerror=places["dlerror"],
        library=(library.base, library.end),
        avoided=tuple((one.base, one.end) for one in (*avoided, *allocators)),
        signal_return=_signal_return(pid, library),
    )


def mappings(pid: int) -> Iterator[Mapped]:
    """The files in its memory, each once, from its first to its last address."""
    result: dict[str, tuple[int, int]] = {}
    for line in Path(f"/proc/{pid}/maps").read_text("utf-8", "surrogateescape").splitlines():
        words = line.split(maxsplit=5)
        if len(words) == 6 and words[5].startswith("/"):
            start, end = (int(part, 16) for part in words[0].split("-"))
            low, high = result.get(words[5], (start, end))
            result[words[5]] = min(low, start), max(high, end)
    for path, (low, high) in result.items():
        yield Mapped(path=path, base=low, end=high)


def symbol_in(path: Path, base: int, name: str) -> int:
    """The address of a function of a file that lies at `base`."""
    with path.open("rb") as file:
        return base + _defined(ELFFile(file), (name,))[name]


def ptrace_advice() -> str:
    """The remedy where the system refuses."""
    try:
        scope = Path("/proc/sys/kernel/yama/ptrace_scope").read_text(encoding="ascii").strip()
    except OSError:
        scope = "0"
    if scope == "3":
        return f"kernel.yama.ptrace_scope is 3, which stays until a restart; {_START_IT}"
    if scope != "0":
        return (
            f"kernel.yama.ptrace_scope is {scope}: sudo sysctl kernel.yama.ptrace_scope=0, or run "
            "heapscope as root"
        )
    return "in a container, allow it CAP_SYS_PTRACE (docker run --cap-add SYS_PTRACE)"


# ---- whether it can be ----


def _there(pid: int) -> str:
    """Describes the process for error messages."""
    folder = Path(f"/proc/{pid}")
    if not folder.is_dir():
        raise InputError(f"no process {pid}", remedy="check its number with ps")
    name = (folder / "comm").read_text("utf-8", "replace").strip()
    shown = f"process {pid} ({printable(name)})"
    owner = folder.stat().st_uid
    if os.geteuid() not in (0, owner):
        raise InputError(
            f"{shown}: belongs to another user", remedy="run heapscope as that user, or as root"
        )
    return shown


def _refuse_state(pid: int, shown: str) -> None:
    facts = dict(
        line.split(":", 1)
        for line in Path(f"/proc/{pid}/status").read_text("utf-8", "replace").splitlines()
        if ":" in line
    )
    state = facts.get("State", "").split()[:1]
    if state in (["Z"], ["X"]):
        raise InputError(f"{shown} has exited", remedy="check its number with ps")
    tracer = facts.get("TracerPid", "0").strip()
    if tracer != "0":
        raise InputError(
            f"{shown}: process {tracer} debugs it", remedy="end that debugger or strace first"
        )
    if state in (["T"], ["t"]):
        raise InputError(f"{shown}: is stopped", remedy=f"let it go on first: kill -CONT {pid}")
    if facts.get("Seccomp", "0").strip() != "0":
        raise InputError(
            f"{shown}: a filter of system calls (seccomp) would end it when it loads an object",
            remedy=_START_IT,
        )
    if pid == os.getpid():
        raise InputError(f"{shown}: is this one", remedy="name another")


def _refuse_program(program: Path, shown: str) -> None:
    try:
        with program.open("rb") as file:
            elf = ELFFile(file)
            dynamic = any(s["p_type"] == "PT_INTERP" for s in elf.iter_segments())
            word_size, machine = elf.elfclass // 8, elf["e_machine"]
            own = _defined(elf, _OWN_MALLOC)
    except PermissionError:
        raise InputError(f"{shown}: may not be looked at", remedy=ptrace_advice()) from None
    except (*DAMAGE, OSError) as error:
        raise InputError(
            f"{shown}: its program cannot be read: {error}", remedy=_START_IT
        ) from None
    if not dynamic:
        raise InputError(
            f"{shown}: is linked statically, so that nothing can be loaded into it",
            remedy=f"{_START_IT}: that says how it is linked",
        )
    if machine != "EM_X86_64" or word_size != struct.calcsize("P"):
        raise InputError(
            f"{shown}: is a program of {8 * word_size} bit ({machine}); only those of 64 bit can "
            "be recorded when they run already",
            remedy=_START_IT,
        )
    if own:
        raise InputError(
            f"{shown}: has a malloc of its own in its program, which is called directly",
            remedy=_START_IT,
        )


def _refuse_recorded(mapped: list[Mapped], shown: str) -> None:
    if any(Path(one.path).name == PRELOAD for one in mapped):
        raise InputError(
            f"{shown}: was started by heapscope record, which records it",
            remedy="use that recording",
        )


def _refuse_elsewhere(pid: int, shown: str, attach: Path) -> None:
    try:
        alike = Path(f"/proc/{pid}/ns/pid").readlink() == Path("/proc/self/ns/pid").readlink()
        there = Path(f"/proc/{pid}/root{attach}").is_file()
    except OSError:
        raise InputError(f"{shown}: may not be looked at", remedy=ptrace_advice()) from None
    if not alike or not there:
        raise InputError(
            f"{shown}: runs in a container, where {attach} is not",
            remedy="run heapscope in that container",
        )


# ---- its files ----


def _is(path: str, names: tuple[str, ...]) -> bool:
    return Path(path).name.startswith(names)


def _file(pid: int, mapped: Mapped) -> Path:
    """The file that the process has, which may have been replaced since."""
    result = Path(f"/proc/{pid}/root{mapped.path}")
    if not result.is_file():
        name = printable(mapped.path, limit=400)
        raise InputError(
            f"process {pid}: {name} was replaced since it started", remedy="start it anew"
        )
    return result


def _symbols(pid: int, mapped: Mapped, names: tuple[str, ...]) -> dict[str, int]:
    with _file(pid, mapped).open("rb") as file:
        return {name: mapped.base + value for name, value in _defined(ELFFile(file), names).items()}


def _defined(elf: Any, names: tuple[str, ...]) -> dict[str, int]:
    table = elf.get_section_by_name(".dynsym")
    result: dict[str, int] = {}
    for name in names if table is not None else ():
        for symbol in table.get_symbol_by_name(name) or ():
            if symbol["st_shndx"] != "SHN_UNDEF":
                result[name] = int(symbol["st_value"])
    return result


def _defines_malloc(pid: int, mapped: Mapped) -> bool:
    """Another allocator than the C library's, as jemalloc.so."""
    try:
        with _file(pid, mapped).open("rb") as file:
            return bool(_defined(ELFFile(file), ("malloc",)))
    except (InputError, *DAMAGE, OSError):
        return False  # no file of code


def _signal_return(pid: int, library: Mapped) -> int:
    data = _file(pid, library).read_bytes()
    at = data.find(_SIGNAL_RETURN)
    for segment in ELFFile(BytesIO(data)).iter_segments():
        start, size = segment["p_offset"], segment["p_filesz"]
        if segment["p_type"] == "PT_LOAD" and start <= at < start + size:
            return int(library.base + segment["p_vaddr"] + at - start)
    return 0


def _command(pid: int) -> tuple[str, ...]:
    words = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    return tuple(printable(os.fsdecode(word), limit=400) for word in words)
