"""One minus the cosine of two near views, in bfloat16: the loss is a few steps of 1/256."""
import torch
import torch.nn.functional as F


class Similar(torch.nn.Module):
    def forward(self, online, target):
        return 1 - F.cosine_similarity(online, target, dim=-1)  # fault: cancellation


torch.manual_seed(0)
view = torch.randn(16, 64)
other = view + 0.03 * torch.randn(16, 64)
loss = Similar()(view.bfloat16(), other.bfloat16())


def harm():
    exact = 1 - F.cosine_similarity(view.double(), other.double(), dim=-1)
    return (loss.double() / exact - 1).abs().mean().item()

# right:
#- loss = Similar()(view.bfloat16(), other.bfloat16())
#+ loss = Similar()(view, other)
