"""Puts the component `heap` with all its sources into one folder, as a registry of components, a
git dependency or a copy in a project takes it:

    python device/packages/esp_idf_heap.py build/packages/esp-idf/heap --url https://...
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMPONENT = ROOT / "device" / "compat" / "esp_idf" / "heap"
#: Folders of the repository whose files go into the component, at the same place below it.
PARTS = (
    *("device/compat/esp_idf/src", "device/compat/esp_idf/include", "device/include/heapscope"),
    *("device/src/heap", "device/src/guard", "device/src/owners", "device/src/regions"),
)
README = """\
# Heapscope's heap for ESP-IDF

This component takes the place of ESP-IDF's component `heap`. It keeps the name, so that ESP-IDF
builds it instead: the folder has to be called `heap`. A project lists it among
EXTRA_COMPONENT_DIRS, or in `main/idf_component.yml` as the dependency `heap` with a `path` or a
`git` address.

ESP-IDF 4.2 and later, and every chip. Kconfig's menu "Heap memory debugging (Heapscope)" has
ESP-IDF's options under their names.
"""


def pack(folder: Path, url: str | None = None) -> Path:
    """Makes the folder anew. `url`: where the repository is, for the manifest."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(COMPONENT, folder)
    for part in PARTS:
        for path in sorted((ROOT / part).rglob("*.[ch]")):
            if path.name.startswith("host_"):
                continue
            to = folder / path.relative_to(ROOT)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, to)
    shutil.copyfile(ROOT / "LICENSE", folder / "LICENSE")
    (folder / "README.md").write_text(README, encoding="utf-8")
    if url is not None:
        manifest = folder / "idf_component.yml"
        text = manifest.read_text(encoding="utf-8")
        manifest.write_text(f"{text}url: {url}\nrepository: {url}\n", encoding="utf-8")
    return folder


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--url")
    given = parser.parse_args()
    pack(given.folder, given.url)
