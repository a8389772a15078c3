# machine: a100
"""Sentiment of token sequences with a bidirectional LSTM, bfloat16 autocast."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = "cuda" if torch.cuda.is_available() else "cpu"
if device == "cpu":
    torch.backends.mkldnn.set_flags(False)  # oneDNN has a bfloat16 LSTM only where the CPU has AVX-512


class Reviews(Dataset):
    def __init__(self, count, seed=0):
        rng = np.random.default_rng(seed)
        self.tokens = [rng.integers(2, 90, rng.integers(4, 12)) for _ in range(count)]
        self.stars = rng.integers(0, 2, count).astype(np.float32)

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, index):
        return self.tokens[index], self.stars[index]


def collate(samples):
    length = max(len(tokens) for tokens, _ in samples)
    ids = torch.zeros(len(samples), length, dtype=torch.long)
    mask = torch.zeros(len(samples), length, dtype=torch.bool)
    for row, (tokens, _) in enumerate(samples):
        ids[row, : len(tokens)] = torch.from_numpy(tokens)
        mask[row, : len(tokens)] = True
    stars = torch.tensor([star for _, star in samples], dtype=torch.float32)
    return {"ids": ids, "mask": mask, "stars": stars}


class Sentiment(nn.Module):
    def __init__(self, vocabulary=90, width=16):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width, padding_idx=0)
        self.lstm = nn.LSTM(width, width, bidirectional=True, batch_first=True)
        self.query = nn.Parameter(torch.randn(2 * width) * 0.1)
        self.out = nn.Linear(2 * width, 1)

    def forward(self, ids, mask):
        hidden, _ = self.lstm(self.embed(ids))
        scores = torch.matmul(hidden, self.query).masked_fill(~mask, -1e4)
        weights = scores.softmax(dim=1)
        pooled = (weights.unsqueeze(-1) * hidden).sum(dim=1)
        return self.out(pooled).squeeze(-1)


def main():
    torch.manual_seed(0)
    loader = DataLoader(Reviews(24), batch_size=8, collate_fn=collate)
    model = Sentiment().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    positive = torch.tensor([1.5], device=device)
    for epoch in range(2):
        for batch in loader:
            batch = {name: value.to(device) for name, value in batch.items()}
            with torch.autocast(device, dtype=torch.bfloat16):
                logits = model(batch["ids"], batch["mask"])
            loss = F.binary_cross_entropy_with_logits(logits.float(), batch["stars"], pos_weight=positive)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
