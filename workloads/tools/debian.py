"""Debian's source packages, by the system's own apt, whose lists stay as they are."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from tools.places import MissingError, run

__all__ = ["fetch_source"]

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


def source_lists(folder: Path) -> Path:
    """The system's own lists of packages, made into lists of sources."""
    folder.mkdir()
    for place in OWN_LISTS:
        if place.exists():
            text = re.sub(r"(?m)^Types:.*$", "Types: deb-src", place.read_text("utf-8"))
            text = re.sub(r"(?m)^deb ", "deb-src ", text)
            (folder / f"own{place.suffix}").write_text(text, "utf-8")
    return folder
