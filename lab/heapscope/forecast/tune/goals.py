"""The user's goals, kept options and preference: read, and checked before anything is searched."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Row
from heapscope.base.sizes import parse_size
from heapscope.forecast.predict.wifi_table import METRICS
from heapscope.forecast.tune.memory import FREE
from heapscope.forecast.tune.options import KNOBS, knob_of

CONTIGUOUS = "contiguous"
#: All four throughputs: the time of a bit of each, added up.
SPEED = "speed"
TARGETS = (FREE, *METRICS, CONTIGUOUS)
PREFERENCES = (FREE, SPEED, *METRICS)

_GOAL = re.compile(r"\s*([A-Za-z_0-9]*)\s*(<=|>=|==|=|<|>)\s*(.*?)\s*")
_RATE = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,6})?) *(m|mbps|mbit/s|mbit)?", re.ASCII | re.I)
_REMEDY = 'write --goal "free>=150KB", --goal "tcp_rx>=20" (Mbit/s) or --goal "contiguous>=16717"'


class Goal(Row):
    """At least so much: KB of `free`, Mbit/s of a throughput, bytes of `contiguous`."""

    target: str = figure("The name of the goal.")
    amount: float = figure("The amount that is needed.", least=None, digits=4)
    text: str = figure("The goal as it was written.", hidden=True)

    @property
    @computed("The unit of the amount.")
    def unit(self) -> str:
        return {FREE: "KB", CONTIGUOUS: "bytes"}.get(self.target, "Mbit/s")


def parse_goals(texts: Sequence[str]) -> tuple[Goal, ...]:
    """Raises InputError naming the invalid goal, or two that contradict each other."""
    result: dict[str, Goal] = {}
    for text in texts:
        goal = _goal(text)
        other = result.setdefault(goal.target, goal)
        if other.amount != goal.amount:
            raise InputError(
                f"--goal '{other.text}' and --goal '{goal.text}': two amounts of {goal.target}",
                remedy="give the larger one alone",
            )
    return tuple(result.values())


def _goal(text: str) -> Goal:
    shown = printable(text, limit=80)
    parts = _GOAL.fullmatch(text)
    if parts is None:
        raise InputError(f"--goal '{shown}': no goal", remedy=_REMEDY)
    target, sign, amount = parts[1], parts[2], parts[3]
    if target not in TARGETS:
        raise InputError(
            f"--goal '{shown}': there is no '{printable(target)}'",
            remedy=f"{did_you_mean(target, TARGETS)}valid: {', '.join(TARGETS)}",
        )
    if sign != ">=":
        raise InputError(
            f"--goal '{shown}': a goal is a least amount, with >=, not {sign}", remedy=_REMEDY
        )
    if target in METRICS:
        rate = _RATE.fullmatch(amount)
        if rate is None:
            raise InputError(
                f"--goal '{shown}': '{printable(amount)}' is not a throughput",
                remedy=f'write it in Mbit/s: --goal "{target}>=20" or "{target}>=20Mbit/s"',
            )
        number = float(rate[1])
    else:
        number = float(parse_size(amount, what=f"--goal {target}"))
        if target == FREE:
            number /= 1024
    if number <= 0:
        raise InputError(
            f"--goal '{shown}': every configuration has that",
            remedy="leave it out, or ask for more",
        )
    return Goal(target=target, amount=number, text=shown)


def parse_keep(texts: Iterable[str], options: Collection[str] = ()) -> tuple[str, ...]:
    """Knobs, from names of options or of knobs. `options`: those that may be named beside them."""
    kept = []
    for text in texts:
        option = text.strip().removeprefix("CONFIG_")
        if option in options:
            continue
        knob = knob_of(option)
        if not knob:
            raise InputError(
                f"--keep '{printable(text)}': no option that tune changes",
                remedy=f"{did_you_mean(option, KNOBS)}it changes those of: {', '.join(KNOBS)}",
            )
        kept.append(knob)
    return tuple(dict.fromkeys(kept))
