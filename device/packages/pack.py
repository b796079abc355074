"""Makes the folders and archives that package managers take: Arduino, PlatformIO, ESP-IDF, cargo.

    python device/packages/pack.py FOLDER [--url URL]

URL is the place of the repository; the registries want it, and no file here knows it. The archives
are the same, byte for byte, whoever makes them. device/README.md says what is in which package."""

from __future__ import annotations

import argparse
import io
import json
import re
import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEVICE = ROOT / "device"
ARDUINO = DEVICE / "packages" / "arduino"
RUST = DEVICE / "packages" / "rust"
#: In every package, beside the code.
PAPERS = {"LICENSE": "LICENSE", "CHANGELOG.md": "CHANGELOG.md", "device/README.md": "README.md"}
#: The ways into the recorder that a sketch can take.
SKETCH_WAYS = ("arduino", "esp_idf", "glue", "libc")
#: Neither is a part of the component: another system's, or a component of its own.
NOT_OF_THE_COMPONENT = ("examples", "packages", "zephyr", "README.md", "port/zephyr", "port/posix")
NOT_OF_THE_COMPONENT += ("port/bare", "compat/esp_idf", "compat/freertos", "compat/zephyr")

#: The C sources of the crate; and what cargo leaves in its folder.
OF_THE_CRATE = ("include", "src/heap", "src/recorder", "src/trace")
NOT_OF_THE_CRATE = ("target", "Cargo.lock")


def version() -> str:
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    match = re.search(r"^project\(heapscope VERSION ([\d.]+)", text, re.MULTILINE)
    assert match is not None
    return match[1]


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _copy_tree(source: Path, target: Path, without: tuple[str, ...] = ()) -> None:
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source)
        left_out = any(name.is_relative_to(one) for one in without)
        if path.is_file() and not left_out and "__pycache__" not in name.parts:
            _copy(path, target / name)


def _begun(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    for name, there in PAPERS.items():
        _copy(ROOT / name, folder / there)
    return folder


def arduino(target: Path, url: str | None) -> Path:
    """The layout of Arduino's library specification: headers and sources below src, which is the
    one folder on the include path."""
    folder = _begun(target / "arduino" / "Heapscope")
    text = (ARDUINO / "library.properties").read_text(encoding="utf-8")
    lines = text.replace("@VERSION@", version()).replace("@URL@", url or "").splitlines()
    texts = [line for line in lines if not line.startswith("#") and line != "url="]
    (folder / "library.properties").write_text("\n".join(texts) + "\n", encoding="utf-8")
    _copy(ARDUINO / "Heapscope.h", folder / "src" / "Heapscope.h")
    _copy_tree(ARDUINO / "examples", folder / "examples")
    _copy_tree(DEVICE / "include", folder / "src")
    _copy_tree(DEVICE / "src", folder / "src")
    recorder = DEVICE / "compat" / "recorder"
    for path in sorted(recorder.glob("*")):
        way = path.stem.removeprefix("recorder_")
        if path.suffix in {".c", ".cpp"} and way not in SKETCH_WAYS:
            continue
        _copy(path, folder / "src" / "compat" / "recorder" / path.name)
    return folder


def platformio(target: Path, url: str | None) -> Path:
    folder = _begun(target / "platformio" / "Heapscope")
    manifest = json.loads((ROOT / "library.json").read_text(encoding="utf-8"))
    if url is not None:
        manifest["homepage"] = url
        manifest["repository"] = {"type": "git", "url": url}
    text = json.dumps(manifest, indent=2) + "\n"
    (folder / "library.json").write_text(text, encoding="utf-8")
    _copy_tree(DEVICE, folder / "device", without=("packages", "zephyr", "README.md"))
    return folder


def esp_idf(target: Path, url: str | None) -> Path:
    """The library as a component. The heap in place of ESP-IDF's own is another component."""
    folder = _begun(target / "esp-idf" / "heapscope")
    _copy_tree(DEVICE, folder, without=NOT_OF_THE_COMPONENT)
    if url is not None:
        with (folder / "idf_component.yml").open("a", encoding="utf-8") as manifest:
            manifest.write(f'url: "{url}"\nrepository: "{url}"\n')
    return folder


def rust(target: Path, url: str | None) -> Path:
    """The crate: its own files, and the C sources that its build.rs looks for."""
    folder = _begun(target / "rust" / "heapscope")
    _copy_tree(RUST, folder, without=NOT_OF_THE_CRATE)
    for name in OF_THE_CRATE:
        _copy_tree(DEVICE / name, folder / "device" / name)
    sink = Path("compat", "recorder", "sink_rtt.h")
    _copy(DEVICE / sink, folder / "device" / sink)
    manifest = folder / "Cargo.toml"
    text = manifest.read_text(encoding="utf-8")
    place = "" if url is None else f'\nrepository = "{url}"'
    text = text.replace('version = "0.0.0"', f'version = "{version()}"{place}', 1)
    manifest.write_text(text.split("\n", 2)[2], encoding="utf-8")
    return folder


def _members(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def zipped(folder: Path, archive: Path) -> None:
    """With the folder itself in it, as Arduino's IDE and its registry want it."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as built:
        for name, content in _members(folder):
            info = zipfile.ZipInfo(f"{folder.name}/{name}", (1980, 1, 1, 0, 0, 0))
            info.external_attr = 0o644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            built.writestr(info, content)


def tarred(folder: Path, archive: Path) -> None:
    with tarfile.open(archive, "w:xz") as built:
        for name, content in _members(folder):
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(content), 0o644
            built.addfile(info, io.BytesIO(content))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--url", help="the place of the repository")
    given = parser.parse_args()
    url = given.url or None
    zipped(arduino(given.folder, url), given.folder / f"heapscope-arduino-{version()}.zip")
    for name, make in (("platformio", platformio), ("esp-idf", esp_idf), ("rust", rust)):
        tarred(make(given.folder, url), given.folder / f"heapscope-{name}-{version()}.tar.xz")
    for archive in sorted(given.folder.glob("heapscope-*")):
        print(archive)
    if url is None:
        print("The packages name no place of the repository. The registries want it: URL=https://…")


if __name__ == "__main__":
    main()
