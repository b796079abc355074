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
    found = result.main
    if found is not None and not found.file.startswith("standard"):
        yield next_command("replay", found.file)


def _summary(result: RecordResult) -> str:
    found = result.main
    end = f"{result.seconds:,.1f} s, exit code {result.exit_code}"
    if found is None:
        discarded = sum(image.discarded for image in result.images)
        none = f"{plural(discarded, 'event')} recorded, none written" if discarded else "no events"
        return f"{none}; {end}"
    others = [image for image in result.images if image is not found and image.events]
    more = f"; {_others(others)}" if others else ""
    per_event = found.bytes_written / found.events
    lost = f" and {found.lost:,} that are lost" if found.lost else ""
    if found.discarded:
        lost += f", of {found.events + found.discarded:,} that were recorded"
    least = "at least " if found.lost or found.discarded else ""
    return (
        f"{found.file}: {plural(found.events, 'event')}{lost}, "
        f"live peak {least}{size(found.live_peak)}, "
        f"{per_event:.2f} bytes an event; {end}{more}"
    )


def _others(images: list[ImageRecord]) -> str:
    events = sum(image.events for image in images)
    return f"and {plural(len(images), 'more trace')} with {plural(events, 'event')}"
