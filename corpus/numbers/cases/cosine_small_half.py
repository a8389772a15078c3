"""The cosine of small float16 vectors: the products of entries near 3e-4 are at the smallest float16."""
import torch


def cosine(a, b):
    return (a * b).sum(dim=-1) / (a.norm(dim=-1) * b.norm(dim=-1))  # fault: underflow


torch.manual_seed(0)
anchor = (3e-4 * torch.randn(64, 512)).half()
other = (anchor.float() + 2e-4 * torch.randn(64, 512)).half()
similarity = cosine(anchor, other)
loss = (1 - similarity.float()).mean()


def harm():
    right = torch.nn.functional.cosine_similarity(anchor.double(), other.double(), dim=-1)
    error = (similarity.double() - right).abs().max().item()
    return float(error)

# right:
#- def cosine(a, b):
#+ def cosine(a, b):
#+     a, b = a.float(), b.float()
