"""Answers to questions about images: in training, or with a saved adapter.

    python recipes/multimodal_lora/answer.py out/adapter.safetensors out/data/000.png "what colour"
"""

import argparse
import json

import miscast
import torch
from data import WORDS, read_image, tokenize
from model import load_adapter, load_model

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}


def prepare_image(file, dtype, device, faults):
    """A batch of one image, dtype and device at once."""
    pixel_values = read_image(file)[None]
    if "type-forgets-device" in faults:
        return pixel_values.type(dtype)
    return miscast.cast(pixel_values, dtype=dtype, device=device)


def answer(model, file, question, dtype, device, faults=()):
    """A word about the image in a file."""
    pixel_values = prepare_image(file, dtype, device, faults)
    input_ids = tokenize(question, model.queries)[None].to(device)
    return WORDS[model.answer(pixel_values, input_ids)[0, 0]]


def write_answers(model, rows, folder, dtype, device, faults):
    """A file of questions with their answers; returns the share that is right."""
    right = 0
    with open(f"{folder}/answers.jsonl", "w", encoding="utf-8") as out:
        for row in rows:
            said = answer(model, f"{folder}/data/{row['image']}", row["question"], dtype, device, faults)
            right += said == row["answer"]
            print(json.dumps({**row, "said": said}), file=out)
    return right / len(rows)


def main():
    parser = argparse.ArgumentParser(description="Ask a question about an image.")
    parser.add_argument("adapter")
    parser.add_argument("image")
    parser.add_argument("question", help="what colour, or what shape")
    parser.add_argument("--size", choices=("tiny", "real"), default="tiny")
    parser.add_argument("--dtype", choices=DTYPES, default="fp16")
    args = parser.parse_args()

    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu")
    dtype = DTYPES[args.dtype]
    model = load_model(args.size, device, dtype, dtype)
    load_adapter(model, args.adapter)
    print(answer(model.eval(), args.image, args.question, dtype, device))


if __name__ == "__main__":
    main()
