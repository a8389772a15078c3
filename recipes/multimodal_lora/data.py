"""Images of one shape in one colour, and questions about them, as a file of conversations."""

import json
import os

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset, Sampler

COLOURS = {"red": (220, 30, 30), "green": (30, 200, 60), "blue": (30, 60, 220)}
SHAPES = ("square", "disc")
WORDS = ["<pad>", "<image>", "<end>", "what", "colour", "shape", *COLOURS, *SHAPES]


def draw(colour, shape, resolution, rng):
    """A shape somewhere near the middle, (height, width, 3) of uint8."""
    rows, columns = np.mgrid[:resolution, :resolution] / resolution - rng.uniform(0.4, 0.6, 2)[:, None, None]
    inside = rows**2 + columns**2 < 0.1 if shape == "disc" else np.maximum(abs(rows), abs(columns)) < 0.35
    pixels = np.full((resolution, resolution, 3), 235, np.uint8)
    pixels[inside] = COLOURS[colour]
    return pixels


def write_data(folder, count, resolution):
    """Images, and `questions.jsonl` with a question about each."""
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(0)
    with open(f"{folder}/questions.jsonl", "w", encoding="utf-8") as file:
        for n in range(count):
            colour, shape = rng.choice(list(COLOURS)), rng.choice(SHAPES)
            Image.fromarray(draw(colour, shape, resolution, rng)).save(f"{folder}/{n:03}.png")
            question, answer = ("what colour", colour) if n % 2 else ("what shape", shape)
            print(json.dumps({"image": f"{n:03}.png", "question": question, "answer": str(answer)}), file=file)


def read_image(file):
    """Between -1 and 1, (3, height, width), float32."""
    pixels = np.array(Image.open(file).convert("RGB"))
    return torch.from_numpy(pixels).permute(2, 0, 1).float() / 127.5 - 1


def tokenize(text, queries):
    """Room for the image, then the words."""
    return torch.tensor([WORDS.index("<image>")] * queries + [WORDS.index(word) for word in text.split()])


class QuestionDataset(Dataset):
    """What the model reads, and what it is to say: -100 where nothing is to be learned."""

    def __init__(self, folder, queries):
        self.folder, self.queries = folder, queries
        with open(f"{folder}/questions.jsonl", encoding="utf-8") as file:
            self.rows = [json.loads(line) for line in file]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        input_ids = tokenize(f"{row['question']} {row['answer']} <end>", self.queries)
        labels = input_ids.clone()
        labels[:-2] = -100
        return {"pixel_values": read_image(f"{self.folder}/{row['image']}"), "input_ids": input_ids, "labels": labels}


class StepSampler(Sampler):
    """A rank's share of the batches of steps start … stop, each drawn by its own seed: a run that resumes draws the same."""

    def __init__(self, length, batch_size, start, stop, rank, world):
        self.length, self.batch_size = length, batch_size
        self.steps = range(start, stop)
        self.rank, self.world = rank, world

    def __len__(self):
        return len(self.steps)

    def __iter__(self):
        for step in self.steps:
            rng = np.random.default_rng(step)
            yield rng.permutation(self.length)[: self.batch_size].tolist()[self.rank :: self.world]
