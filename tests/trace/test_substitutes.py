"""Stand-ins of packages are there for who wants them, and for nobody else, and not any more after the run."""

from __future__ import annotations

import importlib.util
import sys

import pytest

import miscast


@pytest.fixture(autouse=True)
def absent():
    for name in ("flash_attn", "xformers", "apex"):
        if importlib.util.find_spec(name) is not None:
            pytest.skip(f"{name} is installed")


def test_given_while_the_run_lasts():
    def program():
        import flash_attn.flash_attn_interface as interface

        return interface.flash_attn_func, sys.modules["flash_attn"].__version__

    before = list(sys.meta_path)
    report = miscast.check(program, machine="a100")
    assert report.ended is None
    assert any("flash_attn is not installed here" in note for note in report.notes)
    assert "flash_attn" not in sys.modules
    assert sys.meta_path == before
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("flash_attn")


def test_who_can_do_without_does():
    def program():
        found = importlib.util.find_spec("xformers")
        try:
            import flash_attn
        except ImportError:
            flash_attn = None
        from transformers.utils import is_flash_attn_2_available

        return found, flash_attn, is_flash_attn_2_available()

    report = miscast.check(program, machine="a100")
    assert report.ended is None
    assert report.result == (None, None, False)
    assert report.notes == ()


def test_what_no_stand_in_has_ends_the_program_as_it_would_here():
    def program():
        from flash_attn import hopper_only

        return hopper_only

    report = miscast.check(program, machine="a100")
    assert "cannot import name 'hopper_only'" in report.ended
