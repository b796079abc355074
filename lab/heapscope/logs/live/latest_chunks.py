"""Recent chunks, replayed to answer queries about the current heap."""

from __future__ import annotations

KEPT_MAX = 1 << 20  #: bytes, some 200,000 events


class LatestChunks:
    """The last chunks of a recording, from its beginning or from a snapshot on. Bounded: none
    where these are too long."""

    def __init__(self, most: int = KEPT_MAX) -> None:
        self._most = most
        self._kept = bytearray()
        self._from = 0  # bytes of the recording before them
        self._snapshot = 0

    def add(self, chunks: bytes, *, snapshot: int, begun: int) -> None:
        """The next whole chunks. `snapshot`: bytes of the recording before its last whole snapshot;
        `begun`: before the last one that began. 0: none."""
        self._kept += chunks
        self._snapshot = snapshot
        for start in (snapshot, begun, self.end):
            if len(self._kept) > self._most and start > self._from:
                del self._kept[: start - self._from]
                self._from = start

    @property
    def end(self) -> int:
        """Bytes of the recording."""
        return self._from + len(self._kept)

    def all(self) -> bytes | None:
        """The whole recording. None: they were too many."""
        return None if self._from else bytes(self._kept)

    def since_snapshot(self) -> bytes | None:
        """Those from the last whole snapshot on. None: none, or they were too many."""
        known = self._snapshot and self._snapshot >= self._from
        return bytes(self._kept[self._snapshot - self._from :]) if known else None
