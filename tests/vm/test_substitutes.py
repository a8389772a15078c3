"""Stand-ins of packages are there for who wants them, and for nobody else, and not any more after the run."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys

import pytest
import torch

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
    assert any("flash_attn is not installed: replaced" in note for note in report.notes)
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


def _asks_for_flash(model_with):
    from transformers import LlamaConfig

    config = LlamaConfig(
        vocab_size=8, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1,
        num_key_value_heads=1,
    )  # fmt: skip
    return model_with(config, "flash_attention_2")


def test_who_asks_transformers_for_flash_attention_has_it_while_the_run_lasts():
    from transformers import LlamaForCausalLM
    from transformers.utils import is_flash_attn_2_available

    def program():
        def made(config, kind):
            model = LlamaForCausalLM._from_config(config, attn_implementation=kind, dtype=torch.float16).cuda()
            return model(input_ids=torch.ones(1, 2, dtype=torch.long, device="cuda")).logits

        return _asks_for_flash(made)

    for _ in range(2):
        report = miscast.check(program, machine="a100")
        assert report.ended is None
        assert report.findings == ()
        assert any("flash_attn is not installed: replaced" in note for note in report.notes)
        assert not is_flash_attn_2_available()
        with pytest.raises(importlib.metadata.PackageNotFoundError):
            importlib.metadata.version("flash-attn")
        with pytest.raises(ImportError, match="FlashAttention2 has been toggled on"):
            _asks_for_flash(lambda config, kind: LlamaForCausalLM._from_config(config, attn_implementation=kind))


def test_who_is_prepared_for_no_flash_attention_goes_without():
    from transformers import LlamaForCausalLM

    def program():
        def made(config, kind):
            try:
                return LlamaForCausalLM._from_config(config, attn_implementation=kind).config._attn_implementation
            except ImportError:
                return LlamaForCausalLM._from_config(config, attn_implementation="sdpa").config._attn_implementation

        return _asks_for_flash(made)

    report = miscast.check(program, machine="a100")
    assert (report.ended, report.result, report.notes) == (None, "sdpa", ())


def test_before_ampere_flash_attention_ends_the_program_as_it_would():
    def program():
        from flash_attn import flash_attn_func

        q = torch.randn(1, 4, 2, 8, device="cuda", dtype=torch.float16)
        return flash_attn_func(q, q, q)

    report = miscast.check(program, machine="v100")
    assert "FlashAttention only supports Ampere GPUs or newer." in report.ended
