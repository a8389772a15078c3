"""Two additive masks of finfo.min are summed: -inf where both hide a key, NaN where they hide a whole row."""
import torch


def build_mask(visible, present, dtype):
    low = torch.finfo(dtype).min
    segment = torch.zeros(visible.shape, dtype=dtype).masked_fill(~visible, low)
    padding = torch.zeros(present.shape, dtype=dtype).masked_fill(~present, low)
    return segment + padding[:, None, :]  # fault: nan-mask


def cross_attend(query, key, value, visible, present):
    mask = build_mask(visible, present, query.dtype)
    scores = query.float() @ key.float().transpose(1, 2) / key.shape[-1] ** 0.5
    weights = torch.softmax(scores + mask, dim=-1).to(value.dtype)
    used = (visible & present[:, None, :]).any(dim=-1, keepdim=True)
    return (weights @ value) * used


torch.manual_seed(0)
query = torch.randn(4, 10, 32).bfloat16()
key, value = torch.randn(2, 4, 6, 32).bfloat16()
present = torch.ones(4, 6, dtype=torch.bool)
present[3] = False
visible = torch.ones(4, 10, 6, dtype=torch.bool)
visible[:, :4] = False
out = cross_attend(query, key, value, visible, present)


def harm():
    bad = (~torch.isfinite(out)).double().mean().item()
    return float(bad)

# right:
#-     segment = torch.zeros(visible.shape, dtype=dtype).masked_fill(~visible, low)
#-     padding = torch.zeros(present.shape, dtype=dtype).masked_fill(~present, low)
#-     return segment + padding[:, None, :]
#+     allowed = visible & present[:, None, :]
#+     return torch.zeros(allowed.shape, dtype=dtype).masked_fill(~allowed, low)
