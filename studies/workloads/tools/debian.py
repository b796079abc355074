"""Debian's source packages, by the system's own apt, whose lists stay as they are."""

from __future__ import annotations

import os
import re
import shutil
import tarfile
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tools.places import BUILD, MissingError, run

__all__ = ["fetch_source", "unpacked_source"]

OWN_LISTS = (Path("/etc/apt/sources.list"), Path("/etc/apt/sources.list.d/debian.sources"))


def fetch_source(package: str, into: Path) -> Path:
    """The original archive of a source package, put into the folder `into`. MissingError: no apt,
    no such package, or no network."""
    if shutil.which("apt-get") is None:
        raise MissingError(f"apt-get, for Debian's source package {package}")
    lists = source_lists(into / "lists")
    places = {"Etc::SourceList": os.devnull, "Etc::SourceParts": lists, "State": into / "state"}
    places |= {"Cache": into / "cache", "State::status": "/var/lib/dpkg/status"}
    options = [f"-oDir::{name}={place}" for name, place in places.items()]
    options += ["-oAPT::Sandbox::User=root", "-qq"]
    for folder in ("state/lists/partial", "cache/archives/partial"):
        (into / folder).mkdir(parents=True)
    try:
        run("apt-get", *options, "update")
        run("env", "-C", into, "apt-get", *options, "source", "--download-only", package)
    except RuntimeError as error:
        raise MissingError(f"Debian's source package {package}: {error}") from error
    return next(into.glob("*.orig.tar.*"))


def unpacked_source(
    package: str,
    release: str,
    inside: re.Pattern[str],
    *,
    needed: str,
    then: Callable[[Path], None] = lambda place: None,
) -> Path:
    """The folder build/workloads/sources/RELEASE with the files of a source package whose names
    `inside` finds, each at its first group; `then` changes them. MissingError: without `needed`
    it is another release."""
    place = BUILD / "sources" / release
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as name:
            own = Path(name)
            unpacked = own / "unpacked"
            unpack(fetch_source(package, own), inside, unpacked)
            if not (unpacked / needed).exists():
                raise MissingError(f"{release} in Debian's source package {package}")
            then(unpacked)
            with suppress(OSError):  # another process may have been faster
                unpacked.rename(place)
    return place


def unpack(archive: Path, inside: re.Pattern[str], into: Path) -> None:
    with tarfile.open(archive) as opened:
        for member in opened:
            named = inside.search(member.name)
            content = opened.extractfile(member) if named and member.isfile() else None
            if named and content is not None:
                path = into / named[1]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read())


def source_lists(folder: Path) -> Path:
    """The system's own lists of packages, made into lists of sources."""
    folder.mkdir()
    for place in OWN_LISTS:
        if place.exists():
            text = re.sub(r"(?m)^Types:.*$", "Types: deb-src", place.read_text("utf-8"))
            text = re.sub(r"(?m)^deb ", "deb-src ", text)
            (folder / f"own{place.suffix}").write_text(text, "utf-8")
    return folder
