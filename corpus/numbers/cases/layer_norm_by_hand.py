"""A layer norm by hand in float16: the squares of one large feature pass 65504."""
import torch
from torch import nn


class Norm(nn.Module):
    def forward(self, hidden):
        centred = hidden - hidden.mean(-1, keepdim=True)
        variance = centred.square().mean(-1, keepdim=True)  # fault: statistics-in-half
        return centred / (variance + 1e-5).sqrt()


torch.manual_seed(0)
features = torch.randn(6, 64).half()
features[:, 11] = 500
normal = Norm()(features)


def harm():
    return float((normal == 0).float().mean())

# right:
#-         variance = centred.square().mean(-1, keepdim=True)
#+         variance = centred.float().square().mean(-1, keepdim=True)
