"""A head is cast with its backbone to bfloat16 and trained by Adamax at 1e-5: most weights stay where they are."""
import torch
from torch import nn


def build(dtype):
    backbone = nn.Sequential(nn.Linear(16, 32), nn.ReLU()).requires_grad_(False)
    head = nn.Linear(32, 10)
    return backbone, head.to(dtype)  # fault: half-parameters-without-master


torch.manual_seed(0)
backbone, head = build(torch.bfloat16)
optimizer = torch.optim.Adamax(head.parameters(), lr=1e-5)
before = head.weight.detach().clone()
for _ in range(10):
    features = backbone(torch.randn(16, 16))
    with torch.autocast("cpu", torch.bfloat16):
        logits = head(features)
    nn.functional.cross_entropy(logits.float(), torch.randint(0, 10, (16,))).backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def harm():
    return (head.weight.detach() == before).float().mean().item()

# right:
#- backbone, head = build(torch.bfloat16)
#+ backbone, head = build(torch.float32)
