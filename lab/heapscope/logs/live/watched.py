"""Requests that are asked about: would they be served now, and who stands in the way?"""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.base.request import Request
from heapscope.logs.live.moment import WatchedWhy
from heapscope.native.listener import reported
from heapscope.native.structs import Struct

AGAIN = 4096  #: bytes of the recording after which a question is asked again
_KNOWN = 2  # hs_lab_watched_t.fits is less where it is known


@dataclass(kw_only=True)
class WatchedRequest:
    """A request, and how its answers went. `fits` None: not known. `by`: HS_LAB_BY_*. `largest`:
    the bytes that the answer is based on."""

    request: Request
    fits: bool | None = None
    by: int = 0
    largest: int | None = None
    stopped: int = 0
    why: WatchedWhy | None = None
    why_not: str = ""
    queried_at: int = 0  # bytes of the recording when `why` was computed
    again: bool = False  # it could not answer then; later it may

    def look(self, answer: Struct) -> bool:
        """Takes a new hs_lab_watched_t. True: it stopped fitting since the look before."""
        before, self.stopped = self.stopped, answer.stopped
        self.fits = bool(answer.fits) if answer.fits < _KNOWN else None
        self.by, self.largest = answer.by, reported(answer.largest)
        return self.stopped > before

    def may_be_repeated(self, end: int) -> bool:
        """It still does not fit, and the recording has gone on to so many bytes."""
        return self.again and self.fits is False and end - self.queried_at >= AGAIN
