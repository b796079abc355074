"""What is broken on purpose, and who has to notice."""

from __future__ import annotations

from mutant import Mutant
from mutants_answers import ANSWERS
from mutants_pools import POOLS
from mutants_predict import PREDICT
from mutants_replay import REPLAY
from mutants_tune import TUNE

__all__ = ["MUTANTS", "Mutant"]

MUTANTS = (*REPLAY, *ANSWERS, *PREDICT, *TUNE, *POOLS)
