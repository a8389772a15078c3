# machine: a100
"""A mixture of experts: tokens are sent to two experts each; bfloat16 with a float32 router."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Router(nn.Module):
    def __init__(self, width, experts):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(experts, width) * 0.02)

    def forward(self, x):
        logits = F.linear(x.float(), self.weight.float())
        return logits.softmax(dim=-1)


class MoE(nn.Module):
    def __init__(self, width=16, experts=4, k=2):
        super().__init__()
        self.k = k
        self.router = Router(width, experts)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(width, 2 * width), nn.SiLU(), nn.Linear(2 * width, width)) for _ in range(experts)
        )

    def forward(self, x):
        shape = x.shape
        x = x.view(-1, shape[-1])
        probs = self.router(x)
        weight, chosen = probs.topk(self.k, dim=-1)
        weight = (weight / weight.sum(dim=-1, keepdim=True)).to(x.dtype)
        out = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            token, slot = torch.where(chosen == number)
            out.index_add_(0, token, expert(x[token]) * weight[token, slot, None])
        share = F.one_hot(chosen[:, 0], len(self.experts)).float().mean(dim=0)
        balance = len(self.experts) * (share * probs.mean(dim=0)).sum()
        return out.view(shape), balance


class Model(nn.Module):
    def __init__(self, vocabulary=30, width=16):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.norm = nn.LayerNorm(width)
        self.moe = MoE(width)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, ids):
        x = self.embed(ids)
        mixed, balance = self.moe(self.norm(x))
        return self.head(x + mixed), balance


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Model().to(device, torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(3):
        ids = torch.randint(0, 30, (2, 9), device=device)
        logits, balance = model(ids[:, :-1])
        loss = F.cross_entropy(logits.float().flatten(0, 1), ids[:, 1:].flatten())
        loss = loss + 0.01 * balance
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.3f}")


if __name__ == "__main__":
    main()
