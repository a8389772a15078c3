"""Linear attention normalises by a sum of positive keys over 4000 tokens in float16, which is infinite."""
import torch
from torch.nn import functional as F

torch.manual_seed(0)


def attend(q, k, v):
    q, k = F.elu(q) + 1, F.elu(k) + 1
    z = 1 / (torch.einsum("nld,nd->nl", q, k.sum(1)) + 1e-6)  # fault: overflow
    kv = torch.einsum("nld,nle->nde", k.float(), v.float())
    return torch.einsum("nld,nde->nle", q.float(), kv) * z[..., None].float()


q, k, v = torch.randn(3, 1, 4000, 32)
out = attend((q + 2).half(), k.half() + 2, v.half())


def harm():
    exact = attend((q + 2).double(), k.double() + 2, v.double())
    return ((out - exact).norm() / exact.norm()).item()

# right:
#- out = attend((q + 2).half(), k.half() + 2, v.half())
#+ out = attend(q + 2, k + 2, v)
