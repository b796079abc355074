"""The answer of a translation."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Document, Row
from heapscope.base.wording import percent, size

#: The word size that a translation makes, in bytes.
CHIP_WORD = 4
#: How sure the sizes of a site are.
EXACT, PARTLY, BOUNDED = "exact", "partly", "bounds"


class TranslatedSite(Row):
    """One call site."""

    site: str = figure("The call site.", heading="site")
    sizes: str = figure(
        "exact: all its sizes on the chip are known; partly: some are; bounds: none is.",
        heading="sizes",
        choices=(EXACT, PARTLY, BOUNDED),
    )
    type: str = figure(
        "The type of its blocks, by the debug information; empty: unknown.", heading="type"
    )
    wide: int | None = figure(
        "The size of the type where it was recorded; null: unknown.", "B", "64 bit"
    )
    narrow: int | None = figure("The size of the type on the chip; null: not sure.", "B", "chip")
    requests: int = figure("Requests that it made.", heading="requests")
    bytes: int = figure("Bytes that it asked for, as recorded.", "B", "bytes")
    exact_bytes: int = figure("Those of them in requests whose size on the chip is known.", "B")
    lower_bytes: int = figure("The least that they can be on the chip.", "B", "at least")
    upper_bytes: int = figure("The most that they can be on the chip.", "B", "at most")
    reason: str = figure("Why it is not sure; empty: it is.", heading="why", wide=True)


class Translated(Document):
    """A recording of 64-bit words, with the sizes of a 32-bit chip."""

    VERB = "translate"
    VERSION = 1
    main_table = "sites"

    file: str = figure("The recording.")
    programs: tuple[str, ...] = figure(
        "The programs and libraries whose debug information was read."
    )
    out: str = figure(
        "The trace with the largest sizes that are possible; empty: none was written."
    )
    lower: str = figure("The trace with the smallest ones; empty: none was written.")
    word_size: int = figure("The bytes of a pointer in the translated traces.", "B")
    recorded_word_size: int = figure("The bytes of a pointer in the recording.", "B")
    requests: int = figure("Requests.")
    exact_requests: int = figure("Requests whose size on the chip is known.")
    bytes: int = figure("Bytes asked for, as recorded.", "B")
    exact_bytes: int = figure("Bytes, as recorded, of the requests whose size is known.", "B")
    recorded_peak: int = figure("Most payload bytes live at one moment, as recorded.", "B")
    lower_peak: int = figure("The same with the smallest sizes that are possible.", "B")
    upper_peak: int = figure("The same with the largest sizes that are possible.", "B")
    sites: tuple[TranslatedSite, ...] = figure("The call sites, the most bytes first.")

    @property
    @computed("The answer, a sentence each.", last=True)
    def messages(self) -> tuple[str, ...]:
        return tuple(self._messages())

    def _messages(self) -> Iterator[str]:
        yield (
            f"{percent(self.exact_bytes, self.bytes)} of the bytes, in "
            f"{percent(self.exact_requests, self.requests)} of the requests, have the exact size "
            "of a chip with 32-bit words."
        )
        if self.exact_bytes < self.bytes:
            yield (
                "The others are between half of the recorded size, where all is pointers, and the "
                "recorded size, where nothing is."
            )
        yield (
            f"The live peak is between {size(self.lower_peak)} and {size(self.upper_peak)}; "
            f"{size(self.recorded_peak)} were recorded."
        )
