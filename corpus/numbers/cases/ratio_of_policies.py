"""The ratio of two policies, exp of a difference of log-probabilities of whole answers in bfloat16."""
import torch

torch.manual_seed(0)
logits = torch.randn(40, 1000)
tokens = torch.randint(0, 1000, (40, 1))
new = torch.log_softmax(logits.bfloat16(), -1).gather(-1, tokens)
old = torch.log_softmax((logits + 0.01 * torch.randn(40, 1000)).bfloat16(), -1).gather(-1, tokens)
ratio = torch.exp(new - old)  # fault: statistics-in-half


def harm():
    torch.manual_seed(0)
    exact = torch.randn(40, 1000)
    words = torch.randint(0, 1000, (40, 1))
    before = torch.log_softmax(exact + 0.01 * torch.randn(40, 1000), -1).gather(-1, words)
    right = torch.exp(torch.log_softmax(exact, -1).gather(-1, words) - before)
    return (ratio.double() - right).abs().mean().item()

# right:
#- new = torch.log_softmax(logits.bfloat16(), -1).gather(-1, tokens)
#- old = torch.log_softmax((logits + 0.01 * torch.randn(40, 1000)).bfloat16(), -1).gather(-1, tokens)
#+ new = torch.log_softmax(logits, -1).gather(-1, tokens)
#+ old = torch.log_softmax(logits + 0.01 * torch.randn(40, 1000), -1).gather(-1, tokens)
