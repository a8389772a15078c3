"""The likelihood of a sequence is a product of its tokens' float16 chances."""
import torch

torch.manual_seed(0)
logits = torch.randn(12, 20, 50)
tokens = logits.argmax(-1)


def likelihood(chances, tokens):
    return chances.gather(-1, tokens[..., None])[..., 0].prod(-1)  # fault: underflow


found = likelihood(logits.softmax(-1).half(), tokens)


def harm():
    exact = likelihood(logits.double().softmax(-1), tokens)
    return ((found.double() - exact).abs() / exact).mean().item()

# right:
#- found = likelihood(logits.softmax(-1).half(), tokens)
#+ found = likelihood(logits.softmax(-1), tokens)
