"""The collate function casts every tensor of a batch to the model's bfloat16, the token ids too: above 256 they become other tokens."""
import torch
from torch import nn

torch.manual_seed(0)
vocabulary, length = 32000, 24


def collate(rows, dtype):
    batch = {name: torch.stack([row[name] for row in rows]) for name in rows[0]}
    return {name: tensor.to(dtype) for name, tensor in batch.items()}  # fault: rounding-of-integers


rows = [{"input_ids": torch.randint(0, vocabulary, (length,)), "weights": torch.rand(length)} for _ in range(8)]
embed = nn.Embedding(vocabulary, 16).bfloat16()
head = nn.Linear(16, 16).bfloat16()
batch = collate(rows, torch.bfloat16)
with torch.no_grad():
    hidden = embed(batch["input_ids"].long())
    output = head(hidden) * batch["weights"][..., None]


def harm():
    with torch.no_grad():
        right = embed(torch.stack([row["input_ids"] for row in rows])).double()
    return ((hidden.double() - right).norm() / right.norm()).item()

# right:
#-     return {name: tensor.to(dtype) for name, tensor in batch.items()}
#+     return {name: tensor.to(dtype) if tensor.is_floating_point() else tensor for name, tensor in batch.items()}
