"""Perplexity of a text: log_softmax over 50,000 words in bfloat16, then gathered and averaged."""
import math

import torch
from torch import nn


class Scorer(nn.Module):
    def __init__(self, width, words):
        super().__init__()
        self.head = nn.Linear(width, words, bias=False)

    @torch.inference_mode()
    def forward(self, hidden, words):
        chances = torch.log_softmax(self.head(hidden), dim=-1)  # fault: cancellation
        return chances.gather(-1, words[:, None]).squeeze(-1)


torch.manual_seed(0)
scorer = Scorer(32, 50_000)
hidden, words = torch.randn(40, 32), torch.randint(0, 50_000, (40,))
dtype = torch.bfloat16
found = scorer.to(dtype)(hidden.to(dtype), words)


def harm():
    with torch.inference_mode():
        logits = scorer.head(hidden.to(scorer.head.weight.dtype))
    exact = logits.double().log_softmax(-1).gather(-1, words[:, None]).squeeze(-1)
    return (found.double() - exact).abs().mean().item()

# right:
#- dtype = torch.bfloat16
#+ dtype = torch.float32
