"""What `heapscope sweep` refuses on the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

RunCli = Callable[..., object]
