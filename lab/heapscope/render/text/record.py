"""The result of a recording in a line, and the next command."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from heapscope.base.wording import plural, size
from heapscope.capture.record.recording import ImageRecord, RecordResult
from heapscope.render.text.next_command import next_command


def record_parts(result: RecordResult) -> Iterator[Text]:
    yield Text(_summary(result), no_wrap=True)
    for message in result.messages:
        yield Text(f"note: {message}", style="yellow", no_wrap=True)
    main = result.main
    if main is not None and not main.file.startswith("standard"):
        yield next_command("replay", main.file)


def _summary(result: RecordResult) -> str:
    main = result.main
    end = f"{result.seconds:,.1f} s, exit code {result.exit_code}"
    if main is None:
        discarded = sum(image.discarded for image in result.images)
        none = f"{plural(discarded, 'event')} recorded, none written" if discarded else "no events"
        return f"{none}; {end}"
    others = [image for image in result.images if image is not main and image.events]
    more = f"; {_others(others)}" if others else ""
    per_event = main.bytes_written / main.events
    lost = f" and {main.lost:,} that are lost" if main.lost else ""
    if main.discarded:
        lost += f", of {main.events + main.discarded:,} that were recorded"
    least = "at least " if main.lost or main.discarded else ""
    return (
        f"{main.file}: {plural(main.events, 'event')}{lost}, "
        f"live peak {least}{size(main.live_peak)}, "
        f"{per_event:.2f} bytes an event; {end}{more}"
    )


def _others(images: list[ImageRecord]) -> str:
    events = sum(image.events for image in images)
    return f"and {plural(len(images), 'more trace')} with {plural(events, 'event')}"
