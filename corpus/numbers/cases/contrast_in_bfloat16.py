"""A contrastive loss in bfloat16: log-sum-exp minus the positive, each rounded to 1/16."""
import torch

torch.manual_seed(0)
first = torch.nn.functional.normalize(torch.randn(64, 32), dim=-1)
second = torch.nn.functional.normalize(first + torch.randn(64, 32) * 0.1, dim=-1)
scores = ((first @ second.T) / 0.05).bfloat16()
loss = (torch.logsumexp(scores, -1) - scores.diagonal()).mean()  # fault: statistics-in-half


def harm():
    wide = scores.double()
    exact = (torch.logsumexp(wide, -1) - wide.diagonal()).mean().item()
    return abs(loss.item() / exact - 1)

# right:
#- scores = ((first @ second.T) / 0.05).bfloat16()
#+ scores = (first @ second.T) / 0.05
