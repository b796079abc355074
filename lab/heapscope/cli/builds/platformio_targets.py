"""Targets of PlatformIO: `pio run -t heap-report`, `heap-check`, `heap-live`,
`heap-lint` and `heap-ram`.

A project names this file in platformio.ini: `extra_scripts = post:heapscope_targets.py`. Its own
options there: custom_heap_trace, custom_heap_out, custom_heap_memory, custom_heap_budgets,
custom_heap_port and custom_heap_rate. PlatformIO may run in another Python than Heapscope's, so
nothing of Heapscope is imported and its command is called."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

Import("env")  # type: ignore[name-defined]  # noqa: F821  # a function of the builder, which has env
project: Any = env  # type: ignore[name-defined]  # noqa: F821


def _option(name: str, default: str = "") -> str:
    return str(project.GetProjectOption(f"custom_heap_{name}", default)).strip()


def _memory() -> list[str]:
    """The choice of custom_heap_memory, or the chip of the board."""
    return shlex.split(_option("memory")) or _chip()


def _chip() -> list[str]:
    """The chip of a board by Espressif."""
    chip = str(project.BoardConfig().get("build.mcu", "")) if "BOARD" in project else ""
    return ["--chip", chip] if chip.startswith("esp32") else []


def _elf() -> list[str]:
    elf = Path(project.subst("$BUILD_DIR"), project.subst("${PROGNAME}.elf"))
    return ["--elf", str(elf)] if elf.is_file() else []


def _command() -> list[str]:
    result = shutil.which("heapscope")
    if result is None:
        print(
            "error: there is no command heapscope\n"
            "remedy: pipx install 'PATH[all]', where PATH is a clone of Heapscope or a wheel of it"
        )
    return [result] if result else []


def _run(*arguments: str) -> int:
    command = _command()
    if not command:
        return 2
    sys.stdout.flush()
    return subprocess.run([*command, *arguments], cwd=_folder(), check=False).returncode


def _folder() -> str:
    return str(project.subst("$PROJECT_DIR"))


def report(*_: object, **__: object) -> int:
    """Writes the page of the trace that the project names."""
    memory, out = _memory(), _option("out", "heap-report.html")
    if not memory:
        print(
            "error: nothing tells the chip\n"
            "remedy: custom_heap_memory = --chip esp32, in platformio.ini"
        )
        return 2
    return _run("report", _option("trace", "trace.hst"), *memory, *_static(memory), "-o", out)


def _static(memory: list[str]) -> list[str]:
    """The ELF tells the static use of a chip; a pool has none, and a boot log tells it already."""
    return _elf() if "--chip" in memory and "--boot-log" not in memory else []


def check(*_: object, **__: object) -> int:
    """Holds the budgets of the project."""
    return _run("check", _option("budgets", "heapscope.toml"))


def live(*_: object, **__: object) -> int:
    """Shows the device's heap while it runs."""
    port = _option("port") or str(project.GetProjectOption("monitor_port", "") or "")
    if not port:
        print("error: no port is named\nremedy: monitor_port = PORT, in platformio.ini")
        return 2
    rate = _option("rate") or project.GetProjectOption("monitor_speed", 115200)
    return _run("live", f"serial:{port}@{rate}", *_elf())


def lint(*_: object, **__: object) -> int:
    """Checks the sdkconfig of the project, where its framework is ESP-IDF."""
    return _run("lint", "--project", _folder(), *_chip())


def ram(*_: object, **__: object) -> int:
    """Shows each memory of the chip from the first byte to the last, by the last build."""
    return _run("ram", str(project.subst("$BUILD_DIR")), *_chip())


for name, action, title in (
    ("heap-report", report, "Write what happened in a heap trace as one HTML page"),
    ("heap-check", check, "Hold the budgets of heapscope.toml"),
    ("heap-live", live, "Show the device's heap while it runs"),
    ("heap-lint", lint, "Check the project's sdkconfig"),
    ("heap-ram", ram, "Show where the RAM of the build goes"),
):
    project.AddCustomTarget(
        name, None, project.VerboseAction(action, f"heapscope: {name}"), title, action.__doc__
    )
