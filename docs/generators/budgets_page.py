"""docs/reference/check.md, made from the kinds of budgets."""

from __future__ import annotations

from collections.abc import Iterator

from pages import make

from heapscope.fleet.budgets.baseline import FALSE_ALARMS, RECORDINGS_LEAST
from heapscope.fleet.budgets.budget import KINDS, RATE_UNITS
from heapscope.fleet.budgets.plan import SEVERAL
from heapscope.memory.options import DECLARED

HEAD = """\
# The file of budgets

[`heapscope check`](../guide/check.md) reads `heapscope.toml`, or the file that it is given. `make
generated` makes this page. Files are named from the folder of the TOML file.

| table | what it holds |
| --- | --- |
| `[memory]` | the memory of all runs, by the options of `replay` without their `--` |
| `[budget]` | budgets of every run that has an input that tells them |
| `[[run]]` | one run: `name`, its inputs, its own memory, and `[run.budget]`, which goes first |
| `[baseline]` | `tolerance`: the percentage by which a figure may be worse than the baseline's |
| `[jitter]` | how runs are perturbed: `runs` (100), `seed` (0), `strength` (0.25) |

The inputs of a run are `trace`, `log`, `config` (sdkconfig files, of which later ones win) and
`build` (a thing that [`ram`](../guide/ram.md) reads, as a build folder), each a name, a pattern
such as `"traces/*.hst"`, or a list. Several traces of one run are recordings of
the same: each is held to the budgets, and the baseline learns from them how much a figure varies.
`suppress` names the rules of `leaks`, and `calls` a build's known calls.

"""

KIND_HEAD = """
## Budgets

| budget | the figure | limit | what may stand behind the name | example |
| --- | --- | --- | --- | --- |
"""

TAIL = """
Bytes are written as 20480 or "20KB" (KB: 1024 bytes). In TOML the name behind a budget is a key
below it: `task.net = "40KB"`, or a table `[budget.task]`. After `--fail-on` it stands behind a
colon: `--fail-on task:net=40KB`.

Each budget is kept, broken or unknown. It is unknown where the input cannot tell the figure: after
a loss of events, where the name exists nowhere, where no model of the recording's allocator exists,
where a task's peaks in several memories may be at different moments. An unknown budget fails the
check, since nothing shows that it holds. `leak` is unknown, too, where a task and call site kept
two blocks or more that would break it, and nobody can tell yet whether they are a leak. The
sentence names them. `stack` is unknown where a call is not known or the stack's size is not a
constant in the code; [known calls](../design/stacks.md) close the first. A budget of the whole file
may have a task, a call site or a mark that only some inputs have.

`perturbed` makes `runs` [perturbed runs](../design/jitter.md) of each trace on each memory. A run
goes well where no request fails, or no more than `failures` allows, and where it keeps the budgets
`min_free`, `need` and `task` that the file has. The same seed makes the same runs on every machine.
The interval that stands beside the share is of all runs that the model could make.
"""

BASELINE = """
## The baseline

`--baseline` reads what an earlier check wrote with `--json`. A figure is worse where the mean of
its recordings is beyond that of the baseline by more than noise and tolerance. The noise is that of
Student's t with the spread of both sides together, at a chance of {chance} that a whole check
without a true change calls anything worse. It is known from {least} recordings on, both sides
together. With fewer of them and no tolerance a difference is reported and does not fail the check.
"""


def markdown() -> str:
    return "".join(_parts())


def _parts() -> Iterator[str]:
    yield HEAD
    several = ", ".join(f"`{name}`" for name in SEVERAL)
    options = ", ".join(f"`{name}`" for name in DECLARED)
    yield f"The options of the memory are {options}; see `heapscope replay --help`.\n"
    yield f"{several} may be lists: the run is made once for each combination.\n"
    yield KIND_HEAD
    for name, kind in KINDS.items():
        side = "at least" if kind.side == "least" else "at most"
        example = kind.example if " = " in kind.example else f"--fail-on {kind.example}"
        qualifier = kind.qualifier or "nothing"
        row = f"| `{name}` | {kind.text} | {side} | {qualifier} | `{example}` |\n"
        yield row.replace(" * ", " `*` ").replace(" ? ", " `?` ")
    yield TAIL
    yield "\nRates of leaking are bytes in a unit:\n\n| unit | meaning |\n| --- | --- |\n"
    for unit, text in RATE_UNITS.items():
        yield f"| `B/{unit}` | {text} |\n"
    yield BASELINE.format(chance=f"{FALSE_ALARMS:.0%}", least=RECORDINGS_LEAST)


if __name__ == "__main__":
    make("docs/reference/check.md", markdown())
