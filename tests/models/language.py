"""Pairs of transformers' components: towers, heads, adapters, experts and encoders, and generation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import peft
import torch
import torch.nn.functional as F
import transformers
from torch import nn

from . import tiny
from .pair import Outputs, Pair


def _ids(device: str, *tokens: int) -> torch.Tensor:
    return torch.tensor([tokens or (0, 5, 7, 9, 11, 13)], device=device)


def causal(model: nn.Module, _: nn.Module, device: str) -> Outputs:
    ids = _ids(device)
    mask = torch.ones_like(ids)
    mask[:, 0] = 0
    out = model(input_ids=ids, attention_mask=mask, labels=ids)
    return {"logits": out.logits, "loss": out.loss}


def masked_loss(model: nn.Module, _: nn.Module, device: str) -> Outputs:
    logits = model(input_ids=_ids(device)).logits
    targets = _ids(device, -100, 7, 9, 11, 13, 15)
    loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-100)
    return {"logits": logits, "loss": loss}


def greedy(model: nn.Module, _: nn.Module, device: str) -> Outputs:
    return {"tokens": model.generate(_ids(device), max_new_tokens=3, do_sample=False)}


def sampled(model: nn.Module, _: nn.Module, device: str) -> Outputs:
    out = model.generate(
        _ids(device),
        max_new_tokens=3,
        do_sample=True,
        top_k=5,
        top_p=0.9,
        temperature=0.7,
        repetition_penalty=1.1,
        return_dict_in_generate=True,
        output_scores=True,
    )
    return {"tokens": out.sequences, "scores": out.scores}


def beams(model: nn.Module, _: nn.Module, device: str) -> Outputs:
    return {"tokens": model.generate(_ids(device), max_new_tokens=3, num_beams=2)}


def encode_decode(encoder: nn.Module, decoder: nn.Module, device: str) -> Outputs:
    ids = _ids(device)
    mask = torch.tensor([[1, 1, 1, 1, 0, 0]], device=device)
    hidden = encoder(ids, attention_mask=mask).last_hidden_state
    out = decoder(ids, encoder_hidden_states=hidden, encoder_attention_mask=mask, labels=ids)
    return {"hidden": hidden, "logits": out.logits, "loss": out.loss}


def seq2seq(model: nn.Module, _: nn.Module, device: str) -> Outputs:
    ids = _ids(device)
    out = model(input_ids=ids, attention_mask=torch.ones_like(ids), labels=ids)
    return {"logits": out.logits, "loss": out.loss}


def speech(model: nn.Module, _: nn.Module, device: str) -> Outputs:
    mel = torch.randn(1, 8, 20, device=device, dtype=next(model.parameters()).dtype)
    out = model(input_features=mel, labels=_ids(device))
    return {"logits": out.logits, "loss": out.loss}


def contrastive(model: nn.Module, _: nn.Module, device: str) -> Outputs:
    pixels = torch.randn(1, 3, 8, 8, device=device, dtype=model.vision_model.embeddings.patch_embedding.weight.dtype)
    out = model(input_ids=_ids(device, 0, 5, 7, 49), pixel_values=pixels, return_loss=True)
    return {"text": out.text_embeds, "image": out.image_embeds, "logits": out.logits_per_image, "loss": out.loss}


def classify(tower: nn.Module, head: nn.Module, device: str) -> Outputs:
    pixels = torch.randn(2, 3, 8, 8, device=device, dtype=next(tower.parameters()).dtype)
    logits = head(tower(pixels).last_hidden_state[:, 0])
    return {"logits": logits, "loss": F.cross_entropy(logits, torch.tensor([1, 2], device=device), label_smoothing=0.1)}


def towers(tower: nn.Module, model: nn.Module, device: str) -> Outputs:
    """LLaVA by hand: image features before the embedded text."""
    pixels = torch.randn(1, 3, 8, 8, device=device, dtype=next(tower.parameters()).dtype)
    features = tower(pixels).last_hidden_state[:, 1:]
    text = model.get_input_embeddings()(_ids(device))
    out = model(inputs_embeds=torch.cat([features, text], dim=1))
    return {"features": features, "logits": out.logits, "loss": out.logits.float().logsumexp(-1).mean()}


def image_chat(model: nn.Module, _: nn.Module, device: str) -> Outputs:
    pixels = torch.randn(1, 3, 8, 8, device=device)
    ids = _ids(device, 0, 48, 48, 48, 48, 7, 9)
    out = model(input_ids=ids, pixel_values=pixels, attention_mask=torch.ones_like(ids), labels=ids)
    return {"logits": out.logits, "loss": out.loss}


def patch_chat(model: nn.Module, _: nn.Module, device: str) -> Outputs:
    pixels = torch.randn(16, 3 * 2 * 16, device=device)
    ids = _ids(device, 0, 46, 48, 48, 48, 48, 47, 9)
    grid = torch.tensor([[1, 4, 4]], device=device)
    kinds = (ids == 48).int()
    out = model(input_ids=ids, pixel_values=pixels, image_grid_thw=grid, labels=ids, mm_token_type_ids=kinds)
    return {"logits": out.logits, "loss": out.loss}


def _parts(build: Callable[[], Any], part: str) -> Callable[[], tuple[nn.Module, nn.Module]]:
    """A model, and a part of it (by path) that is cast after the whole."""

    def models() -> tuple[nn.Module, nn.Module]:
        model = build()
        return model, model.get_submodule(part)

    return models


def _kinds(build: Callable[[], Any], *names: str) -> Callable[[], tuple[nn.Module, nn.Module]]:
    """A model, and all of its submodules whose name ends with one of `names`."""

    def models() -> tuple[nn.Module, nn.Module]:
        model = build()
        found = [module for name, module in model.named_modules() if name.endswith(names)]
        assert found
        return model, nn.ModuleList(found)

    return models


def _lora() -> nn.Module:
    config = peft.LoraConfig(r=2, lora_dropout=0.1, target_modules=["q_proj", "v_proj"], modules_to_save=["lm_head"])
    return peft.get_peft_model(tiny.llama(), config, autocast_adapter_dtype=False)


def _bert_gpt2() -> tuple[nn.Module, nn.Module]:
    return tiny.bert(), tiny.gpt2(add_cross_attention=True)


def _eager() -> transformers.LlamaForCausalLM:
    return tiny.llama(attn_implementation="eager")


PAIRS = (
    Pair(name="llama+head", models=_parts(tiny.llama, "lm_head"), run=causal),
    Pair(name="llama+norms", models=_kinds(tiny.llama, "norm"), run=masked_loss),
    Pair(name="llama_eager+attention", models=_kinds(_eager, "self_attn"), run=causal),
    Pair(name="llama+lora", models=_kinds(_lora, "lora_A", "lora_B"), run=causal),
    Pair(name="gpt2+norms", models=_kinds(tiny.gpt2, "ln_1", "ln_2", "ln_f"), run=causal),
    Pair(name="bert+gpt2", models=_bert_gpt2, run=encode_decode),
    Pair(name="t5+decoder", models=_parts(tiny.t5, "decoder"), run=seq2seq),
    Pair(name="whisper+decoder", models=_parts(tiny.whisper, "model.decoder"), run=speech),
    Pair(name="clip+vision", models=_parts(tiny.clip, "vision_model"), run=contrastive),
    Pair(name="vit+head", models=lambda: (tiny.vit(), nn.Linear(tiny.WIDTH, 5)), run=classify),
    Pair(name="clip_vision+llama", models=lambda: (tiny.clip_vision(), tiny.llama()), run=towers),
    Pair(name="llava+vision_tower", models=_parts(tiny.llava, "model.vision_tower"), run=image_chat),
    Pair(name="qwen2_vl+visual", models=_parts(tiny.qwen2_vl, "model.visual"), run=patch_chat),
    Pair(name="mixtral+gates", models=_kinds(tiny.mixtral, "gate"), run=causal),
    Pair(name="mixtral+experts", models=_kinds(tiny.mixtral, "experts"), run=causal),
    Pair(name="mamba+mixers", models=_kinds(tiny.mamba, "mixer"), run=causal),
    Pair(name="llama_greedy+head", models=_parts(tiny.llama, "lm_head"), run=greedy, train=False),
    Pair(name="llama_sampled+norms", models=_kinds(tiny.llama, "norm"), run=sampled, train=False),
    Pair(name="gpt2_beams+norms", models=_kinds(tiny.gpt2, "ln_1", "ln_2", "ln_f"), run=beams, train=False),
    Pair(name="t5_greedy+decoder", models=_parts(tiny.t5, "decoder"), run=greedy, train=False),
)
