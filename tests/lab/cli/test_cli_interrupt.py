"""Ctrl-C at any moment of any verb: exit code 130, no traceback, and no half of an output.

A process is not ours before its entry has run: until Python has its own handler the signal ends it
(-2 to its parent, 130 to a shell), and while Python imports `site` and the command's script it
prints its own traceback, which names no file of ours. There it can also lose the interrupt within a
callback of its import system; it says so, and the command runs to its end. Everything later is held
to 130."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

import heapscope
from heapscope.base import interrupt

from .conftest import VERBS, write_inputs

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

STEP = 0.02
GRID = [round(STEP * n, 2) for n in range(51)]
FEW = [0.1, 0.3]
PACKAGE = Path(heapscope.__file__).parent
COMMAND = [sys.executable, "-m", "heapscope"]


def interrupted(args: tuple[str, ...], after: float) -> tuple[int, str, str]:
    """Exit code, output and errors of a command that gets its SIGINT so many seconds in."""
    with subprocess.Popen(
        [*COMMAND, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        time.sleep(after)
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def before_ours(code: int, err: str) -> bool:
    """Whether Python had the interrupt to itself: the first line of the entry had not run."""
    if code == -signal.SIGINT or "Fatal Python error: init" in err:
        return True
    frames = [line for line in err.splitlines() if f'File "{PACKAGE}' in line]
    return "KeyboardInterrupt" in err and all(frame.endswith("in <module>") for frame in frames)


def alike(out: str) -> str:
    """Without the numbers, some of which differ from run to run: times, processes."""
    return re.sub(r"[0-9.e-]+", "0", out)


@pytest.mark.cells(1)
@pytest.mark.parametrize(
    ("verb", "moments"),
    [
        *((verb, FEW) for verb in ("record", "replay", "report", "export", "lint")),
        *(pytest.param(verb, GRID, marks=pytest.mark.slow) for verb in VERBS),
    ],
)
def test_an_interrupt_at_any_moment_ends_with_130_and_leaves_nothing(
    hst: Path, verb: str, moments: list[float]
) -> None:
    write_inputs()
    whole = subprocess.run([*COMMAND, *VERBS[verb]], capture_output=True, text=True, check=False)
    outputs = {path: path.read_bytes() for path in Path().glob("out*")}
    for after in moments:
        for path in Path().glob("out*"):
            path.unlink()
        before = {str(path) for path in Path().iterdir()}
        code, out, err = interrupted(VERBS[verb], after)
        where = f"{verb}, {after} s: {code}\n{err}"
        if before_ours(code, err):
            lost = "Exception ignored" in err  # the entry's own hook prints no such line
            assert (code, out) == (whole.returncode, whole.stdout) if lost else out == "", where
            continue
        if code == whole.returncode:  # it was over, or nothing more could change
            assert alike(out) == alike(whole.stdout) or verb == "live", where
            continue
        left = {str(path) for path in Path().iterdir()} - before
        assert code == 130, where
        assert (out, err) in (("", ""), (whole.stdout, ""), (whole.stdout, whole.stderr)), where
        assert left <= {str(path) for path in outputs}, where
        for name in left:
            if verb != "record":
                assert len(Path(name).read_bytes()) == len(outputs[Path(name)]), where


def within(process: int) -> None:
    """Waits until it has worked for long enough to be within its call."""
    worked = psutil.Process(process)
    wanted = worked.cpu_times().user + 0.1
    while worked.cpu_times().user < wanted:
        time.sleep(0.01)


def test_an_interrupt_within_a_native_loop_is_answered(tmp_path: Path) -> None:
    """The handler cannot run while a call into the library lasts; the process ends all the same."""
    script = (
        "import hashlib\n"
        "from heapscope.base.interrupt import arm, raises\n"
        "arm(); raises(); print('begun', flush=True)\n"
        "hashlib.pbkdf2_hmac('sha256', b'a', b'b', 10**9)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        within(process.pid)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130  # the call alone would last for hours


def test_a_signal_within_text_that_is_executed_has_its_own_code() -> None:
    """Python itself would end with SIGINT, even though somebody caught the KeyboardInterrupt."""
    script = (
        "import sys, types\n"
        "from heapscope.base import interrupt\n"
        "from heapscope.cli import entry\n"
        "def app(prog_name):\n"
        "    interrupt.raises()\n"
        "    try:\n"
        "        exec('import signal; signal.raise_signal(signal.SIGTERM); list(range(99))')\n"
        "    except KeyboardInterrupt:\n"
        "        sys.exit(interrupt.exit_code())\n"
        "sys.modules['heapscope.cli.app'] = types.SimpleNamespace(app=app)\n"
        "entry.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (143, b"")


@pytest.mark.parametrize("handler_first", [True, False])
def test_an_interrupt_that_ends_the_input_leaves_the_time_for_the_answer(
    monkeypatch: pytest.MonkeyPatch, *, handler_first: bool
) -> None:
    """The handler and the watching thread run in either order. The second interrupt ends all."""
    ended: list[str] = []
    monkeypatch.setattr(interrupt, "_GRACE", 0)
    monkeypatch.setattr(interrupt, "_end", lambda number: ended.append("ended"))
    before = {number: signal.getsignal(number) for number in interrupt._SIGNALS}
    signal.signal(signal.SIGINT, interrupt._raise)
    try:
        with interrupt.ends_the_input() as stop:
            steps = [lambda: signal.raise_signal(signal.SIGINT), watched]
            for step in steps if handler_first else reversed(steps):
                step()
            assert stop()
        assert ended == []
        watched()
        assert ended == ["ended"]
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def watched() -> None:
    """The watching thread sees one interrupt."""
    woken, wake = os.pipe()
    os.write(wake, bytes([signal.SIGINT]))
    os.close(wake)
    interrupt._watch(woken)
    os.close(woken)


def test_an_interrupt_while_a_file_is_written_leaves_no_part_of_it(tmp_path: Path) -> None:
    script = (
        "import sys, time\n"
        "from heapscope.base.interrupt import arm, raises\n"
        "from heapscope.base.output import open_output\n"
        "arm()\n"
        "if sys.argv[1] == 'raises': raises()\n"
        "with open_output('x.out') as write:\n"
        "    write(b'half'); print('begun', flush=True); time.sleep(30)\n"
    )
    for phase in ("raises", "at once"):
        with subprocess.Popen(
            [sys.executable, "-c", script, phase],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=tmp_path,
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            process.wait(timeout=20)
        assert list(tmp_path.iterdir()) == []
