# machine: v100
"""Train, save, load again, and serve in half precision."""

import io

import torch
import torch.nn as nn


def build():
    return nn.Sequential(nn.Linear(12, 32), nn.LayerNorm(32), nn.ReLU(), nn.Linear(32, 4))


def train(model, device, steps):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    loss_fn = nn.CrossEntropyLoss()
    for _ in range(steps):
        x = torch.randn(16, 12).to(device)
        y = torch.randint(0, 4, (16,)).to(device)
        loss = loss_fn(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return optimizer, loss.item()


def save(model, optimizer, stats):
    file = io.BytesIO()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "stats": stats}, file)
    file.seek(0)
    return file


def load(file, device):
    state = torch.load(file, map_location=device, weights_only=True)
    model = build().to(device)
    model.load_state_dict(state["model"])
    return model, state["stats"].to(device)


@torch.inference_mode()
def serve(model, stats, requests, device):
    model = model.half().eval()
    mean, std = stats.half()
    for request in requests:
        x = torch.tensor(request, dtype=torch.float16, device=device).unsqueeze(0)
        yield model((x - mean) / std).float().softmax(-1)


def main():
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = build().to(device)
    optimizer, loss = train(model, device, 3)
    print(f"trained to {loss:.4f}")
    stats = torch.stack([torch.zeros(12), torch.ones(12)])
    model, stats = load(save(model, optimizer, stats), device)
    _, loss = train(model, device, 2)
    print(f"resumed to {loss:.4f}")
    requests = [[0.1 * i for i in range(12)], [1.0] * 12]
    for scores in serve(model, stats, requests, device):
        print(f"best {scores.max().item():.3f}")


if __name__ == "__main__":
    main()
