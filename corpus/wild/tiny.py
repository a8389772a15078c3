"""Tiny models and data, made of random numbers, for programs that expect real ones: `python tiny.py NAME FOLDER`.

A placeholder `{NAME}` in programs.toml is a function here; it fills a folder, which every run finds a copy of in its
working folder under that name. All take the seconds that an import takes, and nothing from a network.
"""

from __future__ import annotations

import json
import random
import struct
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

WORDS = ("the", "cat", "sat", "on", "a", "mat", "while", "rain", "fell", "and", "nobody", "was", "ready", "to", "open")
TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{% if message['role'] == 'assistant' %}{% generation %}"
    "{{ message['content'] }}<eos>{% endgeneration %}{% else %}{{ message['content'] }}<eos>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
ROWS = 16


def sentence(words: int = 8) -> str:
    return " ".join(random.choices(WORDS, k=words))


def lines(file: Path, rows: Iterable[dict[str, Any]]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def both(folder: Path, row: Any) -> None:
    """A data set of rows made by `row()`, for training and for test."""
    for split in ("train", "test"):
        lines(folder / f"{split}.jsonl", [row() for _ in range(ROWS)])


def turn(role: str, words: int = 8) -> list[dict[str, str]]:
    return [{"role": role, "content": sentence(words)}]


def tokenizer(folder: Path) -> int:
    """A tokenizer of whole words and single letters, with a chat template. Returns how many tokens it knows."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    special = ["<pad>", "<unk>", "<bos>", "<eos>", "<|system|>", "<|user|>", "<|assistant|>", "<mask>"]
    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=500, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    made.train_from_iterator((sentence() for _ in range(200)), trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", unk_token="<unk>", bos_token="<bos>", eos_token="<eos>",
        cls_token="<bos>", sep_token="<eos>", mask_token="<mask>",
    )  # fmt: skip
    fast.chat_template = TEMPLATE
    fast.model_max_length = 128
    fast.save_pretrained(folder)
    return len(fast)


def words(folder: Path) -> None:
    """A tokenizer alone, without a template of chats."""
    tokenizer(folder)
    (folder / "chat_template.jinja").unlink()


def sizes(tokens: int) -> dict[str, Any]:
    """What decoders of Llama's kind are made with here."""
    return {
        "vocab_size": tokens, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 256, "pad_token_id": 0,
        "bos_token_id": 2, "eos_token_id": 3,
    }  # fmt: skip


def llama(folder: Path) -> None:
    from transformers import LlamaConfig, LlamaForCausalLM

    LlamaForCausalLM(LlamaConfig(**sizes(tokenizer(folder)))).save_pretrained(folder)


def qwen(folder: Path) -> None:
    """Like `llama`, with weights of bfloat16."""
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    Qwen2ForCausalLM(Qwen2Config(**sizes(tokenizer(folder)))).to(torch.bfloat16).save_pretrained(folder)


def scorer(folder: Path) -> None:
    """A reward model: a decoder with one output."""
    from transformers import LlamaConfig, LlamaForSequenceClassification

    config = LlamaConfig(**sizes(tokenizer(folder)), num_labels=1)
    LlamaForSequenceClassification(config).save_pretrained(folder)


def chats(folder: Path) -> None:
    both(folder, lambda: {"messages": turn("user") + turn("assistant")})


def texts(folder: Path) -> None:
    both(folder, lambda: {"text": sentence(20)})


def choices(folder: Path) -> None:
    """Pairs of a chosen and a rejected answer."""
    both(
        folder, lambda: {"prompt": turn("user"), "chosen": turn("assistant"), "rejected": turn("assistant", 5)}
    )


def implicit(folder: Path) -> None:
    """Pairs whose prompts stand in both answers, as reward models read them."""

    def row() -> dict[str, Any]:
        asked = turn("user")
        return {"chosen": asked + turn("assistant"), "rejected": asked + turn("assistant", 5)}

    both(folder, row)


def labelled(folder: Path) -> None:
    """Answers with a thumb up or down."""
    both(
        folder,
        lambda: {"prompt": turn("user"), "completion": turn("assistant"), "label": random.random() < 0.5},
    )


def prompts(folder: Path) -> None:
    both(folder, lambda: {"prompt": turn("user"), "solution": "$\\frac{1}{2}$"})


def pythia(folder: Path) -> None:
    """A checkpoint in litgpt's own format."""
    import torch
    from litgpt import GPT, Config
    from litgpt.utils import save_config

    tokens = tokenizer(folder)
    config = Config(
        name="pythia-14m", n_layer=2, n_head=4, n_embd=32, block_size=512, padded_vocab_size=tokens, vocab_size=tokens,
        intermediate_size=64,
    )  # fmt: skip
    torch.save(GPT(config).state_dict(), folder / "lit_model.pth")
    save_config(config, folder)


def orders(folder: Path) -> None:
    """Instructions, as Alpaca has them."""
    rows = [{"instruction": sentence(), "input": "", "output": sentence()} for _ in range(ROWS)]
    (folder / "all.json").write_text(json.dumps(rows), encoding="utf-8")


def books(folder: Path) -> None:
    """Two files of plain text."""
    for name in ("one", "two"):
        (folder / f"{name}.txt").write_text("\n".join(sentence(20) for _ in range(60)), encoding="utf-8")


def names(folder: Path) -> None:
    """Names of people by language, a file each."""
    for language in ("Elvish", "Orkish", "Dwarfish"):
        made = ("".join(random.choices("aeioklmnrst", k=6)).title() for _ in range(12 * ROWS))
        (folder / f"{language}.txt").write_text("\n".join(made) + "\n", encoding="utf-8")


def mnist(folder: Path) -> None:
    """The four files of MNIST with random pixels, where torchvision looks for them under its root."""
    raw = folder / "MNIST" / "raw"
    raw.mkdir(parents=True)
    for split, count in (("train", 64), ("t10k", 32)):
        images = struct.pack(">4i", 2051, count, 28, 28) + random.randbytes(count * 28 * 28)
        labels = struct.pack(">2i", 2049, count) + bytes(index % 10 for index in range(count))
        for name, content in (("images-idx3", images), ("labels-idx1", labels)):
            (raw / f"{split}-{name}-ubyte").write_bytes(content)


def main() -> None:
    name, folder = sys.argv[1], Path(sys.argv[2])
    random.seed(0)
    folder.mkdir(parents=True)
    globals()[name](folder)


if __name__ == "__main__":
    main()
