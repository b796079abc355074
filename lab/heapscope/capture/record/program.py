"""The program that is to be recorded: whether it can be, said before it runs."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from heapscope.base.elf import DAMAGE
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.capture.record.objects import Objects

LINKED = "heapscope_record"  # section of a static program with the recorder's object in it
_SCRIPTS = 4  # interpreters that are scripts themselves, as the kernel has it
_LINE = 256


@dataclass(frozen=True, kw_only=True)
class Program:
    path: Path  # what is run
    word_size: int  # bytes of a pointer, of what the kernel loads for it


def find_program(command: Sequence[str], objects: Objects) -> Program:
    """InputError where it is not there, or cannot be recorded."""
    path = _on_path(command[0])
    loaded = _loaded(path)
    _refuse_privileged(path)
    if loaded != path:
        _refuse_privileged(loaded)
    return Program(path=path, word_size=_word_size(loaded, objects))


def _on_path(name: str) -> Path:
    result = shutil.which(name)
    if result is not None:
        return Path(result).absolute()
    shown = printable(name, limit=400)
    path = Path(name)
    if "/" in name and path.is_dir():
        raise InputError(f"{shown}: is a folder", remedy="name the program in it")
    if "/" in name and path.exists():
        raise InputError(f"{shown}: may not be run", remedy=f"chmod +x {shown}")
    where = "there is no such file" if "/" in name else "there is no such program on PATH"
    raise InputError(f"{shown}: {where}", remedy="check the name; ./NAME for one in this folder")


def _loaded(path: Path, depth: int = 0) -> Path:
    """The ELF file behind "#!" lines."""
    shown = printable(str(path), limit=400)
    try:
        with path.open("rb") as file:
            head = file.read(_LINE)
    except OSError as error:
        raise InputError(
            f"{shown}: cannot be read: {error.strerror}",
            remedy="a program that is recorded must be readable",
        ) from None
    if not head.startswith(b"#!") or depth > _SCRIPTS:
        return path
    words = head[2:].split(b"\n")[0].split()
    if not words:
        raise InputError(f'{shown}: its first line "#!" names no interpreter', remedy="mend it")
    return _loaded(Path(os.fsdecode(words[0])), depth + 1)


def _refuse_privileged(path: Path) -> None:
    """The loader ignores preloads for a program that gets rights its caller has not."""
    status, shown = path.stat(), printable(str(path), limit=400)
    gains_user = bool(status.st_mode & stat.S_ISUID) and status.st_uid != os.geteuid()
    gains_group = bool(status.st_mode & stat.S_ISGID) and status.st_gid != os.getegid()
    what = "setuid" if gains_user else "setgid" if gains_group else ""
    if not what and _has_capabilities(path) and os.geteuid() != 0:
        what = "given capabilities (setcap)"
    if what:
        raise InputError(
            f"{shown}: is {what}: the system runs it without recorders",
            remedy=f"record a copy without these rights (cp {shown} .), or record as its owner",
        )


def _has_capabilities(path: Path) -> bool:
    try:
        return bool(os.getxattr(path, "security.capability"))
    except OSError:
        return False


def _word_size(path: Path, objects: Objects) -> int:
    shown = printable(str(path), limit=400)
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            machine, word_size = elf["e_machine"], elf.elfclass // 8
            dynamic = any(s["p_type"] == "PT_INTERP" for s in elf.iter_segments())
            linked = dynamic or elf.get_section_by_name(LINKED) is not None
    except (*DAMAGE, OSError) as error:
        raise InputError(
            f"{shown}: is not a program of this machine (ELF): {error}", remedy="name the program"
        ) from None
    if machine not in objects.machines:
        raise InputError(
            f"{shown}: is for another processor ({machine})",
            remedy="record it on that processor; for a chip's firmware see heapscope import",
        )
    if not linked:
        raise _static(shown, objects, word_size)
    return int(word_size)


def _static(shown: str, objects: Objects, word_size: int) -> InputError:
    linked = objects.linked(word_size)
    return InputError(
        f"{shown}: is linked statically, so that nothing can be loaded into it",
        remedy=f"link it with {linked.object} @{linked.options}, or dynamically",
    )
