"""Makes every generated file of the repository: python docs/generators, or `make generated`.

With --check nothing is written; stale files are named, and the exit code is 1. A generator is a
script that writes its files, and that compares them where it is given --check. Results are not
generated here: a benchmark measures them, and only its page is made from them.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The files that a generator makes, as patterns from the root, and its command.
GENERATORS: dict[str, tuple[str, ...]] = {
    "lab/heapscope/data/memory/rests.csv": ("docs/generators/rests.py",),
    "docs/reference/cli.md": ("docs/generators/cli_page.py",),
    "docs/reference/chips.md": ("docs/generators/chips_page.py",),
    "docs/reference/releases.md": ("docs/generators/releases_page.py",),
    "docs/reference/rules.md": ("docs/generators/rules_page.py",),
    "docs/reference/check.md": ("docs/generators/budgets_page.py",),
    "docs/reference/esp_idf_asked.md": ("docs/generators/drop_in_page.py",),
    "docs/reference/sweep.md": ("docs/generators/sweep_page.py",),
    "docs/reference/measured-effects.md": ("docs/generators/effects_page.py",),
    "docs/reference/published.md": ("docs/generators/published_page.py",),
    "docs/reference/allocators.md": ("benches/allocators", "--page"),
    "docs/reference/device.md": ("benches/device", "--page"),
    "docs/reference/guard.md": ("benches/guard", "--page"),
    "docs/reference/log-regions.md": ("benches/log_regions", "--page"),
    "docs/reference/placement.md": ("benches/place", "--page"),
    "docs/reference/programs.md": ("benches/programs", "--page"),
    "format/golden/v1/*": ("format/golden/make.py",),
}


def run(files: str, *, check: bool) -> subprocess.CompletedProcess[str]:
    """Runs the generator of these files; 1: with `check`, one of them is stale."""
    arguments = [*GENERATORS[files], *(["--check"] if check else [])]
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def main() -> int:
    check = "--check" in sys.argv[1:]
    failed = 0
    for files in GENERATORS:
        done = run(files, check=check)
        failed |= done.returncode
        state = ("fresh" if check else "made") if done.returncode == 0 else "stale: make generated"
        print(f"{files}: {state}")
        if done.returncode and not check:
            print(done.stdout + done.stderr, file=sys.stderr)
    return int(failed != 0)


if __name__ == "__main__":
    sys.exit(main())
