"""The verbs that read, replay, explain and print need neither the heavy libraries nor POSIX."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from heapscope.cli.held_output import HeldOutput

PJSIP = Path(__file__).parents[1] / "pools" / "pjsua.log"

#: Only drawing, solving, naming symbols and writing Parquet may import these.
HEAVY = ("bokeh", "highspy", "jinja2", "polars", "scipy", "symbolic", "textual")
#: Modules that Python has on no Windows.
POSIX = ("crypt", "curses", "fcntl", "grp", "nis", "pty", "pwd", "readline", "resource", "spwd")
POSIX += ("syslog", "termios", "tty")
#: Windows has none of these in `os` and `signal`; Python's own modules need some of it before.
CALLS = {
    "os": "chown chroot ctermid fchdir fchmod fchown fork forkpty getegid geteuid getgid getgroups "
    "getpgid getpgrp getpriority getsid getuid getxattr initgroups killpg lchown listxattr lockf "
    "major makedev minor mkfifo mknod nice openpty pathconf pipe2 posix_fadvise posix_fallocate "
    "posix_spawn pread pwrite readv sched_getaffinity sched_setaffinity sendfile set_blocking "
    "setegid seteuid setgid setsid setuid setxattr statvfs sync sysconf tcgetpgrp ttyname "
    "wait wait3 wait4 writev",
    "signal": "SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGUSR1 "
    "SIGUSR2 alarm getitimer pause pthread_kill pthread_sigmask setitimer siginterrupt sigpending "
    "sigwait",
}

#: Runs the command lines of its argument, and prints of each what it exited with.
SCRIPT = """
import json, os, signal, subprocess, sys, tempfile, warnings

warnings.filterwarnings("error", category=EncodingWarning, module="heapscope")

heavy, posix, calls, verbs = json.loads(sys.argv[1])

class Refused:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in heavy + posix:
            raise ModuleNotFoundError(f"{name} is not for this test", name=name)

for name in heavy + posix:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Refused())
for module, names in calls.items():
    for name in names.split():
        if hasattr(sys.modules[module], name):
            delattr(sys.modules[module], name)
signal.set_wakeup_fd = lambda fd, warn_on_full_buffer=True: -1  # Linux takes no fd that may block

from heapscope.base import interrupt
interrupt.arm()
from heapscope.cli.app import app

for verb in verbs:
    try:
        app(verb)
    except SystemExit as exit_:
        print(json.dumps([verb, exit_.code or 0]), file=sys.stderr)
interrupt.disarm()
"""

HEAP_TRACE = """\
====== Heap Trace: 1 records (10 capacity) ======
    20 bytes (@ 0x3ffb1234, Internal) allocated CPU 0 ccount 0x00001234 caller 0x400d1234:0x400d5678
====== Heap Trace Summary ======
Mode: Heap Trace Leaks
20 bytes 'leaked' in trace (1 allocations)
records: 1 (10 capacity, 1 high water mark)
total allocations: 1
total frees: 0
================================
"""


VERBS = [
    ["--help"],
    ["import", "--from", "text", "events.txt", "-o", "T.hst"],
    ["import", "--from", "mtrace", "mtrace.txt", "-o", "mtrace.hst"],
    ["import", "--from", "heaptrack", "heaptrack.firmware.4711.zst", "-o", "heaptrack.hst"],
    ["import", "--from", "esp-idf", "log.txt", "-o", "log.hst"],
    ["import", "--from", "pjsip", str(PJSIP), "-o", "pools.hst"],
    ["fit", "--pools", "pools.hst"],
    ["replay", "T.hst"],
    ["replay", "T.hst", "--chip", "esp32", "--idf", "5.5", "--need", "16717", "--json", "-"],
    ["replay", "T.hst", "--chip", "esp32", "--boot-log", "boot.txt"],
    ["replay", "T.hst", "--layout", "F.toml"],
    ["fit", "T.hst", "--allocator", "idf-5.5"],
    ["why", "T.hst", "--pool", "16KB"],
    ["why", "T.hst", "--chip", "esp32", "--idf", "5.5"],
    ["leaks", "T.hst"],
    ["compare", "T.hst", "--chip", "esp32", "--idf", "4.2", "--idf", "5.5"],
    ["compare", "T.hst", "--chip", "esp32", "--idf", "4.2", "--idf", "5.5", "--parts"],
    ["lint", "sdkconfig"],
    ["predict", "sdkconfig"],
    ["compare", "sdkconfig", "+CONFIG_LWIP_TCP_MSS=536", "--json", "-"],
    ["compare", "sdkconfig", "+CONFIG_LWIP_TCP_MSS=536"],
    *(
        ["export", "T.hst", "--to", form, "-o", f"export.{form}"]
        for form in ("csv", "json", "collapsed", "speedscope", "dhat", "perfetto")
    ),
]


#: A console of western Windows, and no UTF-8 anywhere but where we ask for it.
LEGACY = {
    "LC_ALL": "C",
    "PYTHONCOERCECLOCALE": "0",
    "PYTHONUTF8": "0",
    "PYTHONIOENCODING": "cp1252",
    "PYTHONWARNDEFAULTENCODING": "1",
}


def run(folder: Path, *verbs: list[str]) -> dict[str, int]:
    """The exit code of each verb; the text of a fault of ours fails the test."""
    argument = json.dumps([HEAVY, POSIX, CALLS, verbs])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, argument],
        cwd=folder,
        env=os.environ | LEGACY,
        capture_output=True,
        check=False,
    )
    text = done.stderr.decode("utf-8", "replace")
    assert done.returncode == 0, text
    assert "a fault of Heapscope" not in text, text
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("[[")]
    assert len(lines) == len(verbs), text
    return {" ".join(verb): code for verb, code in lines}


@pytest.fixture
def inputs(here: Path) -> Path:
    with (here / "events.txt").open("a", encoding="utf-8") as file:
        file.write("t датчик\na 9 64\n! → Ende\n")
    (here / "log.txt").write_text(HEAP_TRACE, encoding="utf-8")
    config = 'CONFIG_IDF_TARGET="esp32"\nCONFIG_FREERTOS_HZ=1000\n'
    (here / "sdkconfig").write_text(config, encoding="utf-8")
    return here


@pytest.mark.slow
def test_the_core_runs_without_heavy_libraries_posix_and_utf_8(inputs: Path) -> None:
    assert {verb: code for verb, code in run(inputs, *VERBS).items() if code} == {}


def test_a_closed_pipe_of_windows_is_a_broken_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed:
        def write(self, data: bytes) -> int:
            raise OSError(errno.EINVAL, "Invalid argument")

    held = HeldOutput(Closed())
    held.write(b"text")
    monkeypatch.setattr("sys.platform", "win32")
    with pytest.raises(BrokenPipeError):
        held.release()


def test_a_console_gets_what_was_held_as_often_as_it_takes_some() -> None:
    class Console:
        """Takes at most 3 bytes at once, as that of Windows takes at most 32766."""

        def __init__(self) -> None:
            self.got = b""

        def write(self, data: bytes) -> int:
            self.got += bytes(data[:3])
            return min(3, len(data))

    console = Console()
    held = HeldOutput(console)
    held.write("größer als drei".encode())
    assert console.got == b""
    held.release()
    assert console.got.decode() == "größer als drei"
