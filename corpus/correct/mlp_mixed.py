# machine: v100
"""Train a classifier of feature vectors in mixed precision."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Classifier(nn.Module):
    def __init__(self, features, classes, width=64):
        super().__init__()
        self.register_buffer("mean", torch.full((features,), 0.1))
        self.register_buffer("std", torch.full((features,), 0.9))
        self.layers = nn.Sequential(
            nn.Linear(features, width), nn.LayerNorm(width), nn.GELU(), nn.Dropout(0.0), nn.Linear(width, classes)
        )

    def forward(self, x):
        return self.layers((x - self.mean) / self.std)


def load_data(count=64, features=20, classes=5):
    x = torch.randn(count, features)
    y = x[:, :classes].argmax(dim=1)
    return DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)


def train_epoch(model, loader, optimizer, scaler, class_weight):
    model.train()
    total = 0.0
    for x, y in loader:
        x = x.to(device)
        y = y.to(device)
        optimizer.zero_grad()
        with torch.autocast(device.type, dtype=torch.float16):
            logits = model(x)
            loss = F.cross_entropy(logits, y, weight=class_weight)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        total += loss.item()
    return total / len(loader)


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    right = torch.zeros((), device=device)
    seen = 0
    for x, y in loader:
        predicted = model(x.to(device)).argmax(dim=1)
        right += (predicted == y.to(device)).float().sum()
        seen += len(y)
    return (right / seen).item()


def main():
    torch.manual_seed(0)
    loader = load_data()
    model = Classifier(20, 5).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler(device.type)
    class_weight = torch.linspace(0.8, 1.2, 5, device=device)
    for epoch in range(2):
        loss = train_epoch(model, loader, optimizer, scaler, class_weight)
        print(f"epoch {epoch}: loss {loss:.4f}")
    print(f"accuracy {accuracy(model, loader):.3f}")


if __name__ == "__main__":
    main()
