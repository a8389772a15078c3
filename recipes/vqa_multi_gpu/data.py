"""Images of several resolutions, questions about them, and the right answers."""

import json
import os

import numpy as np
import torch
from PIL import Image

COLOURS = {"red": (220, 30, 30), "green": (30, 200, 60), "blue": (30, 60, 220)}
NUMBERS = ("one", "two", "three")
QUESTIONS = {"colour": "what colour are the squares", "number": "how many squares are there"}
WORDS = ["<end>", "<answer>", *COLOURS, *NUMBERS]
WORDS += sorted({word for question in QUESTIONS.values() for word in question.split()})
END = WORDS.index("<end>")
SHAPES = ((0.75, 1), (2, 2), (1, 1))  # height and width, by the resolution of the model


def draw(colour, number, height, width, rng):
    """Squares in cells of a grid of 2 × 2, (height, width, 3) of uint8."""
    pixels = np.full((height, width, 3), 235, np.uint8)
    for cell in rng.permutation(4)[:number]:
        y, x = (cell // 2) * height // 2, (cell % 2) * width // 2
        pixels[y + height // 8 : y + 3 * height // 8, x + width // 8 : x + 3 * width // 8] = COLOURS[colour]
    return pixels


def write_images(folder, count, resolution, seed=0):
    """`000.png`, …, and `answers.json`: for each of them what is right."""
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(seed)
    answers = {}
    for n in range(count):
        colour, number = rng.choice(list(COLOURS)), int(rng.integers(3))
        height, width = (int(part * resolution) for part in SHAPES[n % len(SHAPES)])
        Image.fromarray(draw(colour, number + 1, height, width, rng)).save(f"{folder}/{n:03}.png")
        answers[f"{n:03}.png"] = {"colour": str(colour), "number": NUMBERS[number]}
    with open(f"{folder}/answers.json", "w") as file:
        json.dump(answers, file)


def read_answers(folder):
    with open(f"{folder}/answers.json") as file:
        return json.load(file)


def fitting_size(height, width, limit, patch, faults=()):
    """As large as it is, or as the model is used to, in whole patches."""
    scale = min(1, limit / max(height, width))
    if "native-resolution" in faults:
        scale = 1
    return tuple(max(1, int(side * scale) // patch) * patch for side in (height, width))


def read_image(file, size):
    """(3, height, width) of uint8."""
    image = Image.open(file).convert("RGB").resize(size[::-1], Image.Resampling.BILINEAR)
    return torch.from_numpy(np.array(image)).permute(2, 0, 1).contiguous()


def tokenize(text):
    return torch.tensor([WORDS.index(word) for word in text.split()])


def words(tokens):
    """Up to the end."""
    text = [WORDS[token] if token < len(WORDS) else f"<{token}>" for token in tokens]
    return " ".join(text[: text.index("<end>")] if "<end>" in text else text)


class Album:
    """A folder's images, those that enter a model in one size together."""

    def __init__(self, folder, limit, patch, faults=()):
        self.folder = folder
        self.answers = read_answers(folder)
        self.sizes = {}
        for name in sorted(self.answers):
            with Image.open(f"{folder}/{name}") as image:
                size = fitting_size(image.height, image.width, limit, patch, faults)
            self.sizes.setdefault(size, []).append(name)

    def images(self, size, names):
        """(batch, 3, height, width) of bytes."""
        return torch.stack([read_image(f"{self.folder}/{name}", size) for name in names])

    def questions(self, names, kinds):
        """With their answers: (batch, length). The last two tokens are what is to be said, and the end."""
        texts = [f"{QUESTIONS[kind]} <answer> {self.answers[name][kind]} <end>" for name, kind in zip(names, kinds)]
        return torch.stack([tokenize(text) for text in texts])

    def draw(self, step, batch_size):
        """The batch of a training step, by a seed of its own, so that a run that resumes draws the same."""
        rng = np.random.default_rng(step)
        size = list(self.sizes)[rng.integers(len(self.sizes))]
        names = rng.choice(self.sizes[size], batch_size)
        kinds = rng.choice(list(QUESTIONS), batch_size)
        return {"image": self.images(size, names), "tokens": self.questions(names, kinds)}

    def all(self, batch_size):
        """Every image, with a question of each kind; those of one size together."""
        for size, names in self.sizes.items():
            for first in range(0, len(names), batch_size):
                some = names[first : first + batch_size]
                batch = {kind: self.questions(some, [kind] * len(some)) for kind in QUESTIONS}
                yield some, batch | {"image": self.images(size, some)}
