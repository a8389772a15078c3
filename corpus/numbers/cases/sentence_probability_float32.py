"""The probability of a sentence is the product of its tokens' probabilities in float32: after a few dozen tokens it is 0."""
import torch
from torch import nn

torch.manual_seed(0)
vocabulary, length = 200, 40
embed = nn.Embedding(vocabulary, 16)
head = nn.Linear(16, vocabulary)
sentences = torch.randint(0, vocabulary, (4, length))
with torch.no_grad():
    log_probs = head(embed(sentences[:, :-1])).log_softmax(-1)
chosen = log_probs.gather(-1, sentences[:, 1:, None]).squeeze(-1)
score = chosen.exp().prod(-1).log()  # fault: underflow
perplexity = torch.exp(-score / (length - 1))


def harm():
    right = torch.exp(-chosen.double().sum(-1) / (length - 1))
    return ((perplexity.double() - right).norm() / right.norm()).item()

# right:
#- score = chosen.exp().prod(-1).log()
#+ score = chosen.sum(-1)
