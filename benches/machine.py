"""Names what the figures of a benchmark run were measured on."""

from __future__ import annotations

import json
import os
import platform
import shlex
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = ROOT / "build" / "lab" / "compile_commands.json"


def printed(*command: str) -> str:
    """The output of a command; "unknown" when it fails."""
    try:
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return run.stdout.strip()


def cpu() -> str:
    """The processor's model name."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def compiler() -> tuple[str, str]:
    """Version and flags of the compiler that built the lab's library."""
    try:
        entries = json.loads(COMMANDS.read_text(encoding="utf-8"))
    except OSError:
        return "unknown", "unknown"
    command = next(
        shlex.split(entry["command"]) for entry in entries if "/models/" in entry["file"]
    )
    flags = [word for word in command[1:] if word.startswith(("-O", "-f", "-m", "-std"))]
    return printed(command[0], "--version").partition("\n")[0], " ".join(flags)


def commit() -> str:
    """The commit, and whether files differ from it."""
    name = printed("git", "rev-parse", "--short", "HEAD")
    changed = printed("git", "status", "--porcelain", "--untracked-files=no")
    return f"{name}, with changes" if name != "unknown" and changed else name


def main() -> None:
    version, flags = compiler()
    print(f"CPU       {cpu()}, {os.cpu_count()} cores, {platform.system()}")
    print(f"compiler  {version}")
    print(f"flags     {flags}")
    print(f"Python    {platform.python_version()}")
    print(f"commit    {commit()}")


if __name__ == "__main__":
    main()
