# machine: a100
"""Node classification with message passing in bfloat16."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def random_graph(nodes, edges, features):
    x = torch.randn(nodes, features)
    edge_index = torch.randint(0, nodes, (2, edges))
    y = (x.sum(dim=1) > 0).long()
    return x, edge_index, y


class MeanConv(nn.Module):
    def __init__(self, inp, out):
        super().__init__()
        self.own = nn.Linear(inp, out)
        self.other = nn.Linear(inp, out, bias=False)

    def forward(self, x, edge_index, weight):
        source, target = edge_index
        messages = self.other(x[source]) * weight[:, None]
        summed = torch.zeros(x.shape[0], messages.shape[1], device=x.device, dtype=messages.dtype)
        summed.index_add_(0, target, messages)
        degree = torch.zeros(x.shape[0], device=x.device, dtype=messages.dtype)
        degree.scatter_add_(0, target, torch.ones(len(target), device=x.device, dtype=messages.dtype))
        return self.own(x) + summed / degree.clamp(min=1)[:, None]


class GraphNet(nn.Module):
    def __init__(self, features, classes, width=16):
        super().__init__()
        self.first = MeanConv(features, width)
        self.second = MeanConv(width, classes)

    def forward(self, x, edge_index, weight):
        return self.second(F.relu(self.first(x, edge_index, weight)), edge_index, weight)


def main():
    torch.manual_seed(5)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x, edge_index, y = random_graph(20, 60, 8)
    x = x.to(device).bfloat16()
    edge_index, y = edge_index.to(device), y.to(device)
    weight = torch.rand(60, device=device).to(torch.bfloat16)
    train_mask = torch.arange(20, device=device) < 14
    model = GraphNet(8, 2).to(device).bfloat16()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for epoch in range(3):
        out = model(x, edge_index, weight)
        loss = F.nll_loss(F.log_softmax(out.float(), dim=-1)[train_mask], y[train_mask])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"epoch {epoch}: {loss.item():.3f}")
    correct = (out.argmax(-1) == y)[~train_mask].float().mean()
    print(f"test {correct.item():.2f}")


if __name__ == "__main__":
    main()
