"""The chunks that a question about the heap as it stands is asked on."""

from __future__ import annotations

KEPT_MAX = 1 << 20  #: bytes, some 200,000 events


class LatestChunks:
    """All chunks of a recording, or of a longer one those from its last whole snapshot on. Bounded:
    there are none where these are too long as well."""

    def __init__(self, most: int = KEPT_MAX) -> None:
        self._most = most
        self._kept = bytearray()
        self._from = 0  # bytes of the recording before them
        self._snapshot = 0

    def add(self, chunks: bytes, *, snapshot: int, begun: int) -> None:
        """The next whole chunks. `snapshot`: bytes of the recording before its last whole snapshot;
        `begun`: before the last one that began. 0: there was none."""
        self._kept += chunks
        self._snapshot = snapshot
        for start in (snapshot, begun, self._from + len(self._kept)):
            if len(self._kept) > self._most and start > self._from:
                del self._kept[: start - self._from]
                self._from = start

    @property
    def whole(self) -> bool:
        """They are all of the recording."""
        return self._from == 0

    def taken(self) -> bytes | None:
        """None: they were too many."""
        if self._from == 0:
            return bytes(self._kept)
        if self._snapshot < self._from:
            return None
        return bytes(self._kept[self._snapshot - self._from :])
