"""Actions of idf.py: `idf.py heap-report`, `heap-check`, `heap-live`, `heap-lint` and
`heap-ram`.

From ESP-IDF 6.0 on, idf.py finds this module by the entry point of the group "idf_extension" where
Heapscope is installed in its environment. Before, a project's idf_ext.py imports the function. An
action knows the project's chip, ESP-IDF version, ELF file and port from idf.py, runs the command
`heapscope` with them and ends as it ends. It is loaded at each start of idf.py, so it imports
nothing but Python's own light modules."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_BAUD = 115200  # of the console, as ESP-IDF's Kconfig has it

#: Declared in the way of idf.py's own actions of a port, so that it may stand anywhere.
_PORT: dict[str, Any] = {
    "names": ["-p", "--port"],
    "help": "Serial port.",
    "scope": "global",
    "envvar": "ESPPORT",
    "default": None,
}


def action_extensions(base_actions: Mapping[str, Any], project_path: str) -> dict[str, Any]:
    """The actions, as idf.py's interface of version 1 wants them."""
    return {
        "version": "1",
        "actions": {
            "heap-report": {
                "callback": _report,
                "short_help": "Write what happened in a heap trace as one HTML page.",
                "help": "Write what happened in a heap trace as one HTML page, on the memory of "
                "this project's chip, ESP-IDF version, sdkconfig and ELF file.",
                "options": [
                    _option(["--trace", "heap_trace"], "The trace (.hst).", required=True),
                    _option(["-o", "--out", "heap_out"], "The page.", default="heap-report.html"),
                    _option(
                        ["--need", "heap_need"],
                        "Would one block of this size always have fitted? May be repeated.",
                        multiple=True,
                    ),
                ],
            },
            "heap-check": {
                "callback": _check,
                "short_help": "Hold the budgets of heapscope.toml.",
                "help": "Hold the budgets of heapscope.toml against what it names: traces, logs, "
                "configurations, ELF files. A broken budget ends idf.py with 1.",
                "options": [
                    _option(["--budgets", "heap_budgets"], "The file.", default="heapscope.toml"),
                    _option(["--baseline", "heap_baseline"], "An earlier result, as JSON."),
                    _option(["--json", "heap_json"], "Also write the result as JSON."),
                    _option(["--junit", "heap_junit"], "Also write the budgets as JUnit XML."),
                ],
            },
            "heap-live": {
                "callback": _live,
                "short_help": "Show the device's heap while it runs.",
                "help": "Show the device's heap while it runs: its firmware has the recorder of "
                "Heapscope. Names of functions come from the project's ELF file.",
                "options": [
                    _PORT,
                    _option(
                        ["--rate", "heap_rate"],
                        "Baud rate of the recorder's line (the console's).",
                        type=int,
                    ),
                    _option(["--seconds", "heap_seconds"], "End after so many.", type=float),
                ],
            },
            "heap-lint": {
                "callback": _lint,
                "short_help": "Check this project's sdkconfig.",
                "help": "Check this project's sdkconfig: options that the build, Kconfig or the "
                "device refuses. Such a finding ends idf.py with 1.",
                "options": [
                    _option(["--sarif", "heap_sarif"], "Also write the findings as SARIF."),
                    _option(["--fix", "heap_fix"], "Write lines that mend what was found."),
                ],
            },
            "heap-ram": {
                "callback": _ram,
                "short_help": "Show where the RAM of this build goes.",
                "help": "Show each memory of the chip from the first byte to the last, by the "
                "files of the last build, and what is left of the heap in each state.",
                "options": [
                    _option(["--why", "heap_why"], "Open this component or symbol."),
                    _option(["-o", "--ram-out", "heap_output"], "Also write a page, or Markdown."),
                ],
            },
        },
    }


def _option(names: list[str], text: str, **more: Any) -> dict[str, Any]:
    return {"names": names, "help": text, **more}


def _report(
    action: str,
    context: Any,
    args: Any,
    heap_trace: str,
    heap_out: str,
    heap_need: Sequence[str],
) -> None:
    needs = [part for size in heap_need for part in ("--need", size)]
    _run("report", heap_trace, *_memory(args), *needs, "-o", heap_out)


def _check(action: str, context: Any, args: Any, heap_budgets: str, **files: str | None) -> None:
    named = {name.removeprefix("heap_"): path for name, path in files.items()}
    path = Path(heap_budgets)
    _run("check", str(path if path.is_absolute() else _project(args) / path), *_given(named))


def _live(
    action: str,
    context: Any,
    args: Any,
    heap_rate: int | None,
    heap_seconds: float | None,
    **more: Any,
) -> None:
    port = getattr(args, "port", None) or more.get("port") or os.environ.get("ESPPORT")
    if not port:
        _refuse("heap-live: no port is named", "idf.py -p PORT heap-live")
    rate = heap_rate or _described(args).get("monitor_baud") or _BAUD
    _run("live", f"serial:{port}@{rate}", *_elf(args), *_given({"seconds": heap_seconds}))


def _lint(action: str, context: Any, args: Any, **files: str | None) -> None:
    named = {name.removeprefix("heap_"): path for name, path in files.items()}
    version = "" if _described(args).get("git_revision") else _version()  # `lint` reads it, too
    known = _given({"chip": _chip(args), "idf": version})
    _run("lint", "--project", str(_project(args)), *known, *_given(named))


def _ram(action: str, context: Any, args: Any, **options: str | None) -> None:
    named = {name.removeprefix("heap_"): value for name, value in options.items()}
    version = "" if _described(args).get("git_revision") else _version()  # `ram` reads it, too
    _run("ram", str(_build(args)), *_given({"idf": version, **named}))


def _memory(args: Any) -> list[str]:
    """The options of the memory that the project tells."""
    chip = _chip(args)
    if not chip:
        _refuse("heap-report: the project has no chip yet", "idf.py set-target CHIP")
    sdkconfig = _project(args) / "sdkconfig"
    known = {"chip": chip, "idf": _version()}
    named = ["--sdkconfig", str(sdkconfig)] if sdkconfig.is_file() else []
    return [*_given(known), *named, *_elf(args)]


def _elf(args: Any) -> list[str]:
    """The firmware's file, where it was built."""
    elf = Path(_build(args), str(_described(args).get("app_elf", "")))
    return ["--elf", str(elf)] if elf.is_file() else []


def _given(options: Mapping[str, Any]) -> list[str]:
    return [
        part
        for name, value in options.items()
        if value not in (None, "")
        for part in (f"--{name}", str(value))
    ]


def _project(args: Any) -> Path:
    return Path(getattr(args, "project_dir", None) or ".")


def _build(args: Any) -> Path:
    return Path(getattr(args, "build_dir", None) or _project(args) / "build")


def _described(args: Any) -> dict[str, Any]:
    """The last build's description of itself; nothing before the first one."""
    try:
        document = json.loads((_build(args) / "project_description.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def _chip(args: Any) -> str:
    """The target of the build, of the sdkconfig, or of the environment."""
    target = _described(args).get("target")
    if isinstance(target, str):
        return target
    try:
        lines = (_project(args) / "sdkconfig").read_text("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    key = "CONFIG_IDF_TARGET="
    results = [line.removeprefix(key).strip('"') for line in lines if line.startswith(key)]
    return results[-1] if results else os.environ.get("IDF_TARGET", "")


def _version() -> str:
    """The ESP-IDF that idf.py belongs to. Its export script tells the minor alone."""
    file = Path(os.environ.get("IDF_PATH", ""), "tools", "cmake", "version.cmake")
    numbers: dict[str, str] = {}
    try:
        lines = file.read_text("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    for line in lines:
        name, _, value = line.strip().removeprefix("set(IDF_VERSION_").partition(" ")
        if name in ("MAJOR", "MINOR", "PATCH"):
            numbers[name] = value.rstrip(") ")
    if len(numbers) == 3:
        return ".".join(numbers[name] for name in ("MAJOR", "MINOR", "PATCH"))
    return os.environ.get("ESP_IDF_VERSION", "").removeprefix("v")


def _run(*arguments: str) -> None:
    """Runs the command and ends idf.py where it does not end with 0."""
    from heapscope.base.child_process import python_module, run

    code = run(python_module("heapscope", *arguments)).returncode
    if code:
        raise SystemExit(code)


def _refuse(message: str, remedy: str) -> None:
    print(f"error: {message}\nremedy: {remedy}", file=sys.stderr)
    raise SystemExit(2)
