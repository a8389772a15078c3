"""exp of a loss that was rounded to bfloat16."""
import torch

torch.manual_seed(0)
losses = torch.rand(500) + 6.01
mean = losses.mean().to(torch.bfloat16)
perplexity = mean.exp()  # fault: statistics-in-half


def harm():
    return abs(perplexity.double().item() / losses.double().mean().exp().item() - 1)

# right:
#- mean = losses.mean().to(torch.bfloat16)
#+ mean = losses.mean()
