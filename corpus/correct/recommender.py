# machine: t4
"""Click prediction: embedding bags, dense features, mixed precision by hand."""

import torch
import torch.nn as nn
import torch.nn.functional as F

device = "cuda" if torch.cuda.is_available() else "cpu"


class Tower(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))

    def forward(self, x):
        for layer in self.layers:
            x = F.relu(layer(x))
        return x


class Ranker(nn.Module):
    """Embeddings and head in float32; the towers between them in half precision."""

    def __init__(self, items=50, dense=6, width=8):
        super().__init__()
        self.items = nn.EmbeddingBag(items, width, mode="sum")
        self.users = nn.Embedding(20, width)
        self.bottom = Tower([dense, 16, width]).half()
        self.top = Tower([3 + width, 16]).half()
        self.head = nn.Linear(16, 1)

    def forward(self, dense, history, offsets, weights, user):
        bottom = self.bottom(dense.half())
        items = self.items(history, offsets, per_sample_weights=weights).to(bottom.dtype)
        parts = torch.stack([bottom, items, self.users(user).half()], dim=1)
        crossed = torch.bmm(parts, parts.transpose(1, 2))
        rows, columns = torch.triu_indices(3, 3, offset=1, device=parts.device)
        top = self.top(torch.cat([bottom, crossed[:, rows, columns]], dim=1))
        return self.head(top.float()).squeeze(1)


def batch(size=8):
    lengths = torch.randint(1, 4, (size,))
    offsets = torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)[:-1]])
    history = torch.randint(0, 50, (24,))
    return {
        "dense": torch.rand(size, 6),
        "history": history,
        "offsets": offsets,
        "weights": torch.rand(24),
        "user": torch.randint(0, 20, (size,)),
    }, torch.randint(0, 2, (size,)).float()


def main():
    torch.manual_seed(0)
    model = Ranker().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    bce = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(2.0, device=device))
    for step in range(3):
        inputs, clicked = batch()
        inputs = {name: value.to(device) for name, value in inputs.items()}
        loss = bce(model(**inputs), clicked.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
