"""The mutations: the code that is broken on purpose, and the test that has to notice."""

from __future__ import annotations

from mutant import LostError, Mutant
from mutants_answers import ANSWERS
from mutants_bad_input import BAD_INPUT
from mutants_bounds import BOUNDS
from mutants_check import CHECK
from mutants_esp_idf import ESP_IDF
from mutants_explorer import EXPLORER
from mutants_firmware import FIRMWARE
from mutants_fit import SMALLEST_POOL
from mutants_fleet import FLEETS
from mutants_guard import GUARD
from mutants_image_heaps import IMAGE_HEAPS
from mutants_ladder import LADDER
from mutants_leaks import LEAK_MUTANTS
from mutants_lifetime import LIFETIMES
from mutants_live import OF_LIVE
from mutants_locks import LOCKS
from mutants_log import OF_LOGS
from mutants_loss import LOSS
from mutants_memory_ladders import MEMORY_LADDERS
from mutants_net_bytes import NET_BYTES
from mutants_pages import PAGES
from mutants_place import PLACE
from mutants_plan import PLAN
from mutants_pool_trace import POOL_TRACE
from mutants_pools import POOLS
from mutants_predict import PREDICT
from mutants_programs import PROGRAMS
from mutants_project import PROJECT
from mutants_ram import RAM
from mutants_record import RECORD
from mutants_recorder import RECORDER
from mutants_recording import RECORDING
from mutants_replay import REPLAY
from mutants_script_heap import SCRIPT_HEAP
from mutants_sites import CALL_SITES
from mutants_stacks import STACKS
from mutants_strangers import STRANGERS
from mutants_sums import SUMS
from mutants_sweep import SWEEP
from mutants_task_lists import TASK_LISTS
from mutants_text import TEXT
from mutants_tls_ladder import TLS_LADDER
from mutants_translate import TRANSLATE
from mutants_tune import TUNE
from mutants_verdict import VERDICT
from mutants_wifi_path import WIFI_PATH

__all__ = ["MUTANTS", "LostError", "Mutant"]

MUTANTS = (
    *REPLAY,
    *ANSWERS,
    *SMALLEST_POOL,
    *FLEETS,
    *PREDICT,
    *CHECK,
    *PLAN,
    *PLACE,
    *IMAGE_HEAPS,
    *TUNE,
    *POOLS,
    *PAGES,
    *EXPLORER,
    *POOL_TRACE,
    *ESP_IDF,
    *RAM,
    *RECORD,
    *RECORDING,
    *RECORDER,
    *GUARD,
    *BOUNDS,
    *LADDER,
    *LEAK_MUTANTS,
    *OF_LIVE,
    *TLS_LADDER,
    *MEMORY_LADDERS,
    *SCRIPT_HEAP,
    *WIFI_PATH,
    *VERDICT,
    *BAD_INPUT,
    *STACKS,
    *STRANGERS,
    *SUMS,
    *TASK_LISTS,
    *LOSS,
    *NET_BYTES,
    *CALL_SITES,
    *OF_LOGS,
    *LOCKS,
    *PROJECT,
    *PROGRAMS,
    *FIRMWARE,
    *LIFETIMES,
    *SWEEP,
    *TEXT,
    *TRANSLATE,
)
