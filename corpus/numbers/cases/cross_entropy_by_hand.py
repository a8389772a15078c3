"""A binary cross entropy by hand in bfloat16: 1 - sigmoid(8) is 0, its logarithm infinite."""
import torch

torch.manual_seed(0)
scores = (torch.randn(200) * 4).bfloat16()
truth = torch.randint(0, 2, (200,))
p = torch.sigmoid(scores)
loss = -(truth * torch.log(p) + (1 - truth) * torch.log(1 - p))  # fault: cancellation


def harm():
    return (~loss.isfinite()).float().mean().item()

# right:
#- loss = -(truth * torch.log(p) + (1 - truth) * torch.log(1 - p))
#+ loss = torch.nn.functional.binary_cross_entropy_with_logits(scores.float(), truth.float(), reduction="none")
