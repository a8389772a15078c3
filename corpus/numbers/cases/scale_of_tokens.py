"""Each token is quantised by amax.clamp(min=1e-10) / 127 in float16; the scale of padding is 0 and its tokens NaN."""
import torch


def per_token(x, floor):
    scale = x.abs().amax(-1, keepdim=True).clamp(min=floor) / 127  # fault: eps-vanishes
    return torch.round(x / scale) * scale


torch.manual_seed(0)
tokens = torch.randn(6, 32).half()
tokens[4:] = 0
back = per_token(tokens, 1e-10)


def harm():
    return back.isnan().float().mean().item()

# right:
#- back = per_token(tokens, 1e-10)
#+ back = per_token(tokens, 1e-4)
