"""A budget, described once: in heapscope.toml, after --fail-on and in a test's marker it has the
same name, the same values and the same meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from heapscope.base.capabilities import MALLOC
from heapscope.base.choices import did_you_mean, known
from heapscope.base.duration import seconds_of
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.request import Request, parse_request
from heapscope.base.sizes import parse_size
from heapscope.memory.layout.allocator import parse_allocator

LEAST, MOST = "least", "most"

#: How a rate of leaking is written, by its unit: bytes in how many of what.
RATE_UNITS = {
    "round": "bytes from one mark to the next of its name",
    "s": "bytes a second",
    "h": "bytes an hour",
    "day": "bytes a day",
    "1000 events": "bytes in 1000 heap events",
}
_RATE = re.compile(r"([0-9]+(?:\.[0-9]+)?) *(B|KB|MB) */ *(round|s|h|day|1000 events)")
_FACTOR = {"B": 1, "KB": 1 << 10, "MB": 1 << 20}
_PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]+)?) *%?")


@dataclass(frozen=True, kw_only=True)
class BudgetKind:
    """A kind of budget. `side`: whether the figure is at least or at most the limit. `unit`: B,
    rate, percent, time or count. `qualifier`: what may stand after the name, for people; empty:
    nothing. `needs_qualifier`: it must be there. `tells`: the results that can tell it."""

    side: str
    unit: str
    text: str
    example: str
    tells: tuple[str, ...]
    qualifier: str = ""
    needs_qualifier: bool = False


REPLAY, SURVEY, LEAKS, FIT, LOG = "replay", "survey", "leaks", "fit", "log"
STATIC, CONFIG, COMPARE, IMPORT = "static", "config", "compare", "import"
PERTURBED, RAM = "perturbed", "ram"

KINDS: Mapping[str, BudgetKind] = {
    "min_free": BudgetKind(
        side=LEAST,
        unit="B",
        text="Free bytes at the least, for malloc or in a memory or capability set.",
        example='min_free = "20KB"',
        tells=(REPLAY, LOG),
        qualifier="capabilities (DMA) or a memory (D/IRAM)",
    ),
    "need": BudgetKind(
        side=LEAST,
        unit="B",
        text="A request that must fit at every moment; several are a list.",
        example='need = [16717, "4KB:DMA"]',
        tells=(REPLAY, LOG, IMPORT),
    ),
    "need_until": BudgetKind(
        side=LEAST,
        unit="time",
        text="How long the requests of `need`, or the one behind the name, go on to fit by the "
        "figures that a log repeats: the lower end of the interval.",
        example='need_until = "30d"',
        tells=(LOG,),
        qualifier="a request (16717, 4KB:DMA)",
    ),
    "trend": BudgetKind(
        side=MOST,
        unit="rate",
        text="Bytes that a figure loses that a log repeats.",
        example='trend.largest = "0 B/day"',
        tells=(LOG,),
        qualifier="free, largest or min",
        needs_qualifier=True,
    ),
    "failures": BudgetKind(
        side=MOST,
        unit="count",
        text="Requests that failed.",
        example="failures = 0",
        tells=(REPLAY, LOG, IMPORT),
    ),
    "leak": BudgetKind(
        side=MOST,
        unit="rate",
        text="How fast memory leaks; a name counts the rounds of that mark.",
        example='leak = "0 B/round"',
        tells=(LEAKS,),
        qualifier="the name of a mark",
    ),
    "task": BudgetKind(
        side=MOST,
        unit="B",
        text="Bytes that a task holds at the most.",
        example='task.net = "40KB"',
        tells=(REPLAY,),
        qualifier="the name of a task; * and ? stand for any",
        needs_qualifier=True,
    ),
    "site": BudgetKind(
        side=MOST,
        unit="B",
        text="Bytes that a call site holds at the most.",
        example='site."tls_*" = "17KB"',
        tells=(SURVEY,),
        qualifier="the call site; * and ? stand for any",
        needs_qualifier=True,
    ),
    "fit": BudgetKind(
        side=MOST,
        unit="B",
        text="The smallest pool in which the trace runs under an allocator.",
        example='fit."idf-5.5" = "200KB"',
        tells=(FIT,),
        qualifier="the name of an allocator",
        needs_qualifier=True,
    ),
    "match_rate": BudgetKind(
        side=LEAST,
        unit="percent",
        text="Share of the recorded addresses that the replay meets.",
        example='match_rate = "99.9%"',
        tells=(REPLAY,),
    ),
    "perturbed": BudgetKind(
        side=LEAST,
        unit="percent",
        text="Share of perturbed runs in which nothing fails and `min_free`, `need`, `failures` "
        "and `task` are kept, as far as they are there.",
        example='perturbed = "95%"',
        tells=(PERTURBED,),
    ),
    "static": BudgetKind(
        side=MOST,
        unit="B",
        text="Static bytes of a memory, or of a component, by an ELF or a linker map.",
        example='static.DRAM = "100KB"',
        tells=(STATIC,),
        qualifier="a memory (DRAM) or a component (libwifi.a)",
        needs_qualifier=True,
    ),
    "bss": BudgetKind(
        side=MOST,
        unit="B",
        text="Bytes of a component without an initial value, by a build.",
        example='bss."libmain.a" = "20KB"',
        tells=(RAM,),
        qualifier="a component (libmain.a)",
        needs_qualifier=True,
    ),
    "dram": BudgetKind(
        side=LEAST,
        unit="B",
        text="Bytes of data memory that a build is predicted to leave, by `heapscope ram`.",
        example='dram.left = "40KB"',
        tells=(RAM,),
        qualifier="left, which is the fullest state, or a state (load)",
        needs_qualifier=True,
    ),
    "stack": BudgetKind(
        side=LEAST,
        unit="B",
        text="Bytes of a task's stack that it surely never uses, by the code of a build.",
        example='stack.main = "512B free"',
        tells=(RAM,),
        qualifier="the name of a task; * and ? stand for any",
        needs_qualifier=True,
    ),
    "predicted_free": BudgetKind(
        side=LEAST,
        unit="B",
        text="Internal bytes that a configuration is predicted to leave; a name tells the state.",
        example='predicted_free.load = "40KB"',
        tells=(CONFIG,),
        qualifier="a state (load)",
    ),
    "worse": BudgetKind(
        side=MOST,
        unit="percent",
        text="How much worse a figure of the right side may be.",
        example="worse=5%",
        tells=(COMPARE,),
        qualifier="figures by name; * and ? stand for any",
    ),
    "left_out": BudgetKind(
        side=MOST,
        unit="count",
        text="Lines that are no event and were left out.",
        example="left_out=0",
        tells=(IMPORT,),
    ),
}


@dataclass(frozen=True, kw_only=True)
class Budget:
    """`limit`: bytes, a count, percent, seconds, or bytes in a `per`. `request`: of a need.
    `given`: as it was written. `line`: where it stands; 0: in no file."""

    kind: str
    limit: float
    given: str
    qualifier: str = ""
    request: Request | None = None
    per: str = ""
    line: int = 0

    @property
    def name(self) -> str:
        """min_free:DMA, or need:16717."""
        tail = self.given if self.kind == "need" else self.qualifier
        return f"{self.kind}:{tail}" if tail else self.kind

    def kept(self, value: float) -> bool:
        return value >= self.limit if KINDS[self.kind].side == LEAST else value <= self.limit


def budgets_of(kind: str, value: object, *, line: int = 0, what: str = "") -> Iterator[Budget]:
    """The budgets of one key: a value, a list of needs, or values by their qualifiers. `what` names
    the place, for the error."""
    where = what or kind
    known(kind, KINDS, noun="budget")
    if isinstance(value, Mapping):
        if not KINDS[kind].qualifier:
            raise _wrong(where, f"{kind} has no names below it", kind)
        for qualifier, one in value.items():
            yield _budget(kind, one, str(qualifier), line, f"{where}.{qualifier}")
    elif kind == "need":
        for one in value if isinstance(value, list | tuple) else [value]:
            yield _budget(kind, one, "", line, where)
    else:
        yield _budget(kind, value, "", line, where)


def parse_budget(text: str) -> Budget:
    """ "KIND=VALUE" or "KIND:QUALIFIER=VALUE", as after --fail-on."""
    key, equals, value = text.partition("=")
    kind, _, qualifier = key.strip().partition(":")
    shown = f"--fail-on {printable(text)}"
    if not equals:
        raise InputError(
            f"{shown}: has no limit", remedy="write KIND=LIMIT, for example min_free=20KB"
        )
    if kind not in KINDS:
        hint = did_you_mean(kind, KINDS)
        raise InputError(
            f"{shown}: unknown budget '{printable(kind)}'",
            remedy=f"{hint}valid: {', '.join(KINDS)}",
        )
    return _budget(kind, value.strip(), qualifier.strip(), 0, shown)


def check_reported_by(budgets: tuple[Budget, ...], verb: str, *tells: str) -> None:
    """InputError: a budget that the verb cannot tell. It names those that it can."""
    for budget in budgets:
        if not set(KINDS[budget.kind].tells) & set(tells):
            able = [name for name, kind in KINDS.items() if set(kind.tells) & set(tells)]
            raise InputError(
                f"--fail-on {budget.name}: {verb} does not tell it",
                remedy=f"{verb} tells {', '.join(able)}; a heapscope.toml for "
                "'heapscope check' can have all of them",
            )


def _budget(kind: str, value: object, qualifier: str, line: int, where: str) -> Budget:
    reported = KINDS[kind]
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise _wrong(where, "is neither a number nor a text", kind)
    if reported.needs_qualifier and not qualifier:
        raise _wrong(where, f"does not say which: {reported.qualifier}", kind)
    if qualifier and not reported.qualifier:
        raise _wrong(where, f"'{printable(qualifier)}' says nothing here", kind)
    stated = printable(str(value), limit=100)
    if kind == "min_free" and qualifier == MALLOC:
        qualifier = ""
    if kind == "fit":
        qualifier = parse_allocator(qualifier)
    per = ""
    if kind == "need":
        request = parse_request(stated, what=where)
        return Budget(kind=kind, limit=request.size, given=stated, request=request, line=line)
    if reported.unit == "B":
        size = stated.removesuffix("free") if kind == "stack" else stated
        number: float = parse_size(size.strip(), what=where)
    elif reported.unit == "rate":
        match = _RATE.fullmatch(stated.strip())
        if match is None:
            raise _wrong(where, f"'{stated}' is not a rate", kind)
        number, per = float(match[1]) * _FACTOR[match[2]], match[3]
        if kind == "leak" and qualifier and per != "round":
            raise _wrong(where, f"'{stated}' does not count the rounds of a mark", kind)
        if kind == "trend" and per not in ("s", "h", "day"):
            raise _wrong(where, f"'{stated}' is not a rate in time", kind)
    elif reported.unit == "time":
        seconds = seconds_of(stated)
        if seconds is None:
            raise _wrong(where, f"'{stated}' is not a length of time", kind)
        number = seconds
        if qualifier:
            qualifier = parse_request(qualifier, what=where).text
    elif reported.unit == "percent":
        share = _PERCENT.fullmatch(stated.strip())
        if share is None:
            raise _wrong(where, f"'{stated}' is not a percentage", kind)
        number = float(share[1])
    else:
        if not stated.isascii() or not stated.isdigit():
            raise _wrong(where, f"'{stated}' is not a count", kind)
        number = int(stated)
    return Budget(kind=kind, limit=number, given=stated, qualifier=qualifier, per=per, line=line)


def _wrong(where: str, why: str, kind: str) -> InputError:
    return InputError(f"{printable(where)}: {why}", remedy=f"for example: {KINDS[kind].example}")
