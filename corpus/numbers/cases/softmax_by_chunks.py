"""Softmax over chunks with running sums in bfloat16, as flash attention by hand: the tail adds nothing."""
import torch


def attend(q, keys, values, chunk=8, dtype=torch.bfloat16):
    top = torch.full((q.shape[0], 1), -1e30)
    norm = torch.zeros(q.shape[0], 1, dtype=dtype)
    acc = torch.zeros(q.shape[0], values.shape[-1], dtype=dtype)
    for k, v in zip(keys.split(chunk), values.split(chunk)):
        scores = q @ k.T
        new = torch.maximum(top, scores.amax(-1, keepdim=True))
        shrink, p = (top - new).exp().to(dtype), (scores - new).exp()
        norm = norm * shrink + p.sum(-1, keepdim=True).to(dtype)  # fault: accumulate-in-half
        acc = acc * shrink + (p @ v).to(dtype)
        top = new
    return acc / norm


torch.manual_seed(0)
q, keys, values = torch.randn(4, 8) * 0.1, torch.randn(4096, 8), torch.rand(4096, 4)
out = attend(q, keys, values)


def harm():
    exact = (q @ keys.T).double().softmax(-1) @ values.double()
    return ((out - exact).abs() / exact).mean().item()

# right:
#- def attend(q, keys, values, chunk=8, dtype=torch.bfloat16):
#+ def attend(q, keys, values, chunk=8, dtype=torch.float32):
