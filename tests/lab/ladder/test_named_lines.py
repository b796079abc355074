"""A name of a configuration with a + in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapscope.base.errors import InputError
from heapscope.forecast.ladder.side import named_files


@pytest.fixture
def base(tmp_path: Path) -> str:
    path = tmp_path / "sdkconfig.defaults"
    path.write_text("CONFIG_BT_ENABLED=y\n", encoding="utf-8")
    return str(path)


def test_lines_follow_a_release(base: str) -> None:
    first, alone, both = named_files(
        [base, "@5.4+CONFIG_BT_ENABLED=n", f"{base}@5.5+CONFIG_BT_ENABLED=n,CONFIG_SPIRAM=y"]
    )
    assert (alone.idf, len(alone.files)) == ("5.4", len(first.files) + 1)
    assert (both.idf, len(both.files)) == ("5.5", 3)


@pytest.mark.parametrize("form", ["@5.4+RUBBISH", "@5.4+", "{}@5.5+RUBBISH", "{}@5.5+CONFIG_X"])
def test_what_is_not_understood_behind_a_plus_is_an_error(base: str, form: str) -> None:
    with pytest.raises(InputError, match="what follows the"):
        named_files([base, form.format(base)])
