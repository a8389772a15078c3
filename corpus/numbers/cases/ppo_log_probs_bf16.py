"""The log-probabilities of a PPO step on a language model come from a log-softmax in bfloat16: near -10 its spacing is 0.06 and so is the error of the ratio."""
import torch

torch.manual_seed(0)
tokens, vocabulary = 128, 32000
old_logits = torch.randn(tokens, vocabulary).bfloat16()
logits = (old_logits.float() + 0.1 * torch.randn(tokens, vocabulary)).bfloat16()
chosen = torch.randint(0, vocabulary, (tokens, 1))
advantage = torch.randn(tokens)


def log_probs(x):
    return x.log_softmax(-1).gather(-1, chosen).squeeze(-1).float()  # fault: statistics-in-half


ratio = torch.exp(log_probs(logits) - log_probs(old_logits))
loss = -torch.minimum(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()


def harm():
    new, old = (x.double().log_softmax(-1).gather(-1, chosen).squeeze(-1) for x in (logits, old_logits))
    right = torch.exp(new - old)
    return ((ratio.double() - right).norm() / right.norm()).item()

# right:
#-     return x.log_softmax(-1).gather(-1, chosen).squeeze(-1).float()
#+     return x.float().log_softmax(-1).gather(-1, chosen).squeeze(-1)
