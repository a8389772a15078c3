"""Programs of the field's kinds, of a real size and with random weights: `python programs.py NAME`, on a GPU.

Each prints a line of JSON: the peak of the memory that tensors held, in bytes, the seconds of its steps, and of one
more how many kernels it launched and how long they were at work. Under `miscast check` the same line tells what the
virtual machine counts.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

STEPS = 5
PROGRAMS: dict[str, Callable[[], Iterator[None]]] = {}
DEVICE = "cuda"


def program(function: Callable[[], Iterator[None]]) -> Callable[[], Iterator[None]]:
    PROGRAMS[function.__name__] = function
    return function


def llama(**more: Any) -> Any:
    """1.2 billion parameters, as Llama 3.2 1B has them."""
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        hidden_size=2048, intermediate_size=8192, num_hidden_layers=16, num_attention_heads=32, num_key_value_heads=8,
        vocab_size=128_256, max_position_embeddings=4096, tie_word_embeddings=True, **more,
    )  # fmt: skip
    return LlamaForCausalLM(config)


def gpt2() -> Any:
    """774 million parameters: GPT-2 large."""
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(GPT2Config(n_layer=36, n_embd=1280, n_head=20))


def words(batch: int, length: int, vocabulary: int = 50_000) -> torch.Tensor:
    return torch.randint(0, vocabulary, (batch, length), device=DEVICE)


def trained(
    model: nn.Module, loss_of: Callable[[], torch.Tensor], *, optimizer: Any = torch.optim.AdamW, dtype: Any = None
) -> Iterator[None]:
    """Steps of training, under autocast if a dtype is given, with a scaler if that is float16."""
    model.train()
    optim = optimizer([p for p in model.parameters() if p.requires_grad], lr=1e-4)
    scaler = torch.amp.GradScaler(DEVICE, enabled=dtype is torch.float16)
    while True:
        with torch.autocast(DEVICE, dtype=dtype) if dtype else nullcontext():
            loss = loss_of()
        scaler.scale(loss).backward()
        scaler.step(optim)
        scaler.update()
        optim.zero_grad(set_to_none=True)
        yield


@program
def gpt2_float32() -> Iterator[None]:
    model, ids = gpt2(), words(4, 512)
    yield from trained(model, lambda: model(input_ids=ids, labels=ids).loss)


@program
def gpt2_autocast_bf16() -> Iterator[None]:
    model, ids = gpt2(), words(4, 512)
    yield from trained(model, lambda: model(input_ids=ids, labels=ids).loss, dtype=torch.bfloat16)


@program
def gpt2_eager_attention() -> Iterator[None]:
    model, ids = gpt2(), words(2, 512)
    model.set_attn_implementation("eager")
    yield from trained(model, lambda: model(input_ids=ids, labels=ids).loss, dtype=torch.float16)


@program
def llama_bf16() -> Iterator[None]:
    model, ids = llama().to(torch.bfloat16), words(2, 1024)
    yield from trained(model, lambda: model(input_ids=ids, labels=ids).loss)


@program
def llama_checkpointed() -> Iterator[None]:
    model, ids = llama().to(torch.bfloat16), words(4, 2048)
    model.gradient_checkpointing_enable()
    yield from trained(model, lambda: model(input_ids=ids, labels=ids, use_cache=False).loss)


@program
def llama_lora() -> Iterator[None]:
    from peft import LoraConfig, get_peft_model

    model = get_peft_model(llama().to(torch.bfloat16), LoraConfig(r=16, target_modules=["q_proj", "v_proj"]))
    ids = words(2, 1024)
    yield from trained(model, lambda: model(input_ids=ids, labels=ids).loss)


@program
def llama_generate() -> Iterator[None]:
    model, ids = llama().to(torch.bfloat16).eval(), words(8, 512)
    while True:
        with torch.no_grad():
            model.generate(input_ids=ids, max_new_tokens=32, do_sample=False, pad_token_id=0)
        yield


@program
def bert_classifier() -> Iterator[None]:
    from transformers import BertConfig, BertForSequenceClassification

    model = BertForSequenceClassification(BertConfig(num_labels=2)).to(DEVICE)
    ids, labels = words(32, 256, 30_000), torch.randint(0, 2, (32,), device=DEVICE)
    mask = torch.ones_like(ids)
    yield from trained(
        model, lambda: model(input_ids=ids, attention_mask=mask, labels=labels).loss, dtype=torch.float16
    )


@program
def t5_float32() -> Iterator[None]:
    from transformers import T5Config, T5ForConditionalGeneration

    shape = {"d_model": 768, "d_ff": 3072, "num_layers": 12, "num_heads": 12, "decoder_start_token_id": 0}
    model = T5ForConditionalGeneration(T5Config(**shape)).to(DEVICE)
    ids, labels = words(8, 512, 32_000), words(8, 128, 32_000)
    yield from trained(model, lambda: model(input_ids=ids, labels=labels).loss)


@program
def whisper_fp16() -> Iterator[None]:
    from transformers import WhisperConfig, WhisperModel

    config = WhisperConfig(d_model=768, encoder_layers=12, decoder_layers=12, encoder_attention_heads=12,
                           decoder_attention_heads=12, encoder_ffn_dim=3072, decoder_ffn_dim=3072)  # fmt: skip
    model = WhisperModel(config).half().to(DEVICE).eval()
    sound, ids = torch.randn(8, 80, 3000, device=DEVICE, dtype=torch.float16), words(8, 64)
    while True:
        with torch.inference_mode():
            model(input_features=sound, decoder_input_ids=ids)
        yield


def unet(**more: Any) -> Any:
    from diffusers import UNet2DConditionModel

    return UNet2DConditionModel(**more).to(DEVICE)


@program
def unet_train_fp16() -> Iterator[None]:
    model = unet(sample_size=64, cross_attention_dim=768, attention_head_dim=8)
    x, text = torch.randn(4, 4, 64, 64, device=DEVICE), torch.randn(4, 77, 768, device=DEVICE)
    t, noise = torch.randint(0, 1000, (4,), device=DEVICE), torch.randn_like(x)
    yield from trained(model, lambda: F.mse_loss(model(x, t, text).sample.float(), noise), dtype=torch.float16)


@program
def sdxl_infer_fp16() -> Iterator[None]:
    model = unet(
        sample_size=128, cross_attention_dim=2048, attention_head_dim=[5, 10, 20], block_out_channels=(320, 640, 1280),
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
        transformer_layers_per_block=[1, 2, 10], use_linear_projection=True, addition_embed_type="text_time",
        addition_time_embed_dim=256, projection_class_embeddings_input_dim=2816,
    ).half().eval()  # fmt: skip
    half = {"device": DEVICE, "dtype": torch.float16}
    x, text = torch.randn(2, 4, 128, 128, **half), torch.randn(2, 77, 2048, **half)
    added = {"text_embeds": torch.randn(2, 1280, **half), "time_ids": torch.zeros(2, 6, **half)}
    while True:
        with torch.no_grad():
            model(x, torch.tensor(500, device=DEVICE), text, added_cond_kwargs=added)
        yield


@program
def vae_decode_bf16() -> Iterator[None]:
    from diffusers import AutoencoderKL

    model = AutoencoderKL(
        block_out_channels=(128, 256, 512, 512), layers_per_block=2, latent_channels=4,
        down_block_types=("DownEncoderBlock2D",) * 4, up_block_types=("UpDecoderBlock2D",) * 4,
    ).to(DEVICE, torch.bfloat16).eval()  # fmt: skip
    x = torch.randn(1, 4, 128, 128, device=DEVICE, dtype=torch.bfloat16)
    while True:
        with torch.no_grad():
            model.decode(x)
        yield


def pictures(model: nn.Module, batch: int, *, last: bool, **more: Any) -> Iterator[None]:
    x, y = torch.randn(batch, 3, 224, 224, device=DEVICE), torch.randint(0, 1000, (batch,), device=DEVICE)
    if last:
        model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    yield from trained(model, lambda: F.cross_entropy(model(x), y), **more)


@program
def resnet50_fp16() -> Iterator[None]:
    import timm

    sgd = lambda p, lr: torch.optim.SGD(p, lr=lr, momentum=0.9)  # noqa: E731
    yield from pictures(timm.create_model("resnet50").to(DEVICE), 128, last=True, dtype=torch.float16, optimizer=sgd)


@program
def vit_bf16() -> Iterator[None]:
    import timm

    model = timm.create_model("vit_base_patch16_224").to(DEVICE)
    yield from pictures(model, 64, last=False, dtype=torch.bfloat16)


@program
def convnext_float32() -> Iterator[None]:
    import timm

    yield from pictures(timm.create_model("convnext_tiny").to(DEVICE), 64, last=False)


@program
def lstm_float32() -> Iterator[None]:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words, self.lstm = nn.Embedding(50_000, 1024), nn.LSTM(1024, 1024, 3, dropout=0.2, batch_first=True)
            self.out = nn.Linear(1024, 50_000)

        def forward(self, ids: torch.Tensor) -> Any:
            return self.out(self.lstm(self.words(ids))[0])

    model, ids = Model().to(DEVICE), words(32, 129)
    yield from trained(model, lambda: F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten()))


@program
def encoder_tf32() -> Iterator[None]:
    torch.set_float32_matmul_precision("high")
    layer = nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True, dropout=0.1)
    model = nn.TransformerEncoder(layer, 24).to(DEVICE)
    x = torch.randn(16, 512, 1024, device=DEVICE)
    yield from trained(model, lambda: model(x).pow(2).mean())


def main(name: str) -> None:
    """Run a program's steps; tell."""
    torch.manual_seed(0)
    torch.cuda.reset_peak_memory_stats()
    steps, seconds = PROGRAMS[name](), []
    for step in range(STEPS):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        with nullcontext() if step else torch.device(DEVICE):  # weights are made where they are wanted
            next(steps)
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - begin)
    told = {"name": name, "peak": torch.cuda.max_memory_allocated(), "reserved": torch.cuda.max_memory_reserved()}
    print(json.dumps({**told, "seconds": seconds, **busy(steps)}), flush=True)


def busy(steps: Iterator[None]) -> dict[str, Any]:
    """Of one more step its kernels, and the seconds that they took in all; the host's own time is not in these."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as seen:
        next(steps)
        torch.cuda.synchronize()
    kernels = [one for one in seen.events() if one.device_type == torch.autograd.DeviceType.CUDA]
    return {"launches": len(kernels), "busy": sum(one.time_range.elapsed_us() for one in kernels) / 1e6}


if __name__ == "__main__":
    main(sys.argv[1])
