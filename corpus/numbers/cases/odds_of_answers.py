"""The log odds of an answer, logp - log(1 - exp(logp)), in float16: for what the model is sure of they are infinite."""
import torch
import torch.nn.functional as F


def log_odds(log_p):
    rest = (1 - log_p.exp()).clamp(min=1e-12)
    return log_p - rest.log()  # fault: cancellation


def preference_loss(better, worse, beta=0.1):
    return -F.logsigmoid(beta * (log_odds(better) - log_odds(worse))).mean()


better = torch.tensor([-1e-4, -2e-4, -0.5, -1.0], dtype=torch.float32)
worse = torch.tensor([-2.0, -1.5, -0.7, -3.0], dtype=torch.float32)
loss = preference_loss(better.half(), worse.half())
odds = log_odds(better.half())


def harm():
    exact = better.double() - torch.log(-torch.expm1(better.double()))
    off = (odds.double() - exact).abs()
    return 1.0 if not off.isfinite().all() else off.max().item()

# right:
#- loss = preference_loss(better.half(), worse.half())
#- odds = log_odds(better.half())
#+ loss = preference_loss(better, worse)
#+ odds = log_odds(better)
