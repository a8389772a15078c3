"""A mean over the tokens of a mask: a sequence that is all padding is 0 / 0."""
import torch

torch.manual_seed(0)
hidden = torch.randn(3, 10, 8)
lengths = torch.tensor([10, 4, 0])
mask = (torch.arange(10) < lengths[:, None]).float()
pooled = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)  # fault: nan-mask


def harm():
    return pooled.isnan().float().mean().item()

# right:
#- pooled = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
#+ pooled = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
