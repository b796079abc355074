"""Why a request stopped fitting, and what would help: asked beside the listening, which never waits
for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from heapscope.answers.why.reasons import WhyResult
from heapscope.answers.why.summary import request_sentences
from heapscope.base.errors import HeapscopeError
from heapscope.base.interrupt import scratch_folder
from heapscope.base.request import Request
from heapscope.logs.live.moment import WatchedWhy
from heapscope.logs.live.watched import WatchedRequest

BUDGET = 20.0  #: seconds of one answer
CHANGES_MAX = 5  #: that are reported for one need
_POLL = 0.05  # seconds between two looks at whether somebody wants to end

#: Answers as the verb `why` does, about a trace and a request. It calls its last argument after
#: each replay.
Ask = Callable[[Path, Request, Callable[[], None]], WhyResult]


@dataclass(frozen=True, kw_only=True)
class Reason:
    """`line` None: `why_not` says why there is no answer. `again`: there may be one when more was
    heard."""

    need: WatchedRequest
    line: WatchedWhy | None = None
    why_not: str = ""
    again: bool = False


class _GivenUpError(Exception):
    """It took too long, or nobody wants to know any more."""


class Reasons:
    """Use as a context manager: at its end a question is given up. A need of which a question is
    open is not asked about again."""

    def __init__(self, ask: Ask, *, budget: float = BUDGET) -> None:
        self._ask = ask
        self._budget = budget
        self._closed = threading.Event()
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="why")
        self._open: dict[int, Future[Reason]] = {}

    def __enter__(self) -> Reasons:
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._pool.shutdown(cancel_futures=True)

    def ask(self, index: int, need: WatchedRequest, chunks: bytes, *, whole: bool) -> None:
        """`chunks`: a part of a recording; `whole`: all of it."""
        if index not in self._open:
            self._open[index] = self._pool.submit(self._answer, need, chunks, whole)

    def answers(self) -> Iterator[Reason]:
        """Those that came since the last call."""
        for index, future in list(self._open.items()):
            if future.done():
                del self._open[index]
                yield future.result()

    def wait(self, stop: Callable[[], bool]) -> None:
        """Until no question is open, each in its budget, or until `stop` says True."""
        while any(not future.done() for future in self._open.values()) and not stop():
            time.sleep(_POLL)

    def _answer(self, need: WatchedRequest, chunks: bytes, whole: bool) -> Reason:
        end, again = time.monotonic() + self._budget, False

        def tried() -> None:
            if self._closed.is_set() or time.monotonic() >= end:
                raise _GivenUpError

        try:
            with scratch_folder() as folder:
                trace = Path(folder) / "recording.hst"
                trace.write_bytes(chunks)
                result = self._ask(trace, need.request, tried)
        except _GivenUpError:
            why_not = f"no answer came within {self._budget:.0f} s"
        except HeapscopeError as error:
            why_not, again = error.message.replace(str(trace), "the recording"), True
        except OSError as error:
            why_not = f"no temporary file can be written: {error.strerror or error}"
        else:
            if result.needs:
                return Reason(need=need, line=_line(result, whole=whole))
            why_not = "events are missing before anything is known"
        return Reason(need=need, why_not=why_not, again=again)


def _line(result: WhyResult, *, whole: bool) -> WatchedWhy:
    (match,) = result.needs
    case, hole = match.worst.case, match.worst.case.hole
    return WatchedWhy(
        since="boot" if whole else "snapshot",
        events=result.events,
        sentences=case.sentences,
        answer=tuple(request_sentences(match)),
        holders=() if hole is None else hole.holders,
        tried=match.worst.tried,
        changes=match.worst.changes[:CHANGES_MAX],
    )
