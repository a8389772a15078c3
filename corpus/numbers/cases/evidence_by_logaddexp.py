"""The log evidence of a stream of samples grows by logaddexp, one sample at a time, in float16."""
import math

import torch


def log_evidence(log_weights):
    total = log_weights[0]
    for one in log_weights[1:]:
        total = torch.logaddexp(total, one)  # fault: accumulate-in-half
    return total - math.log(len(log_weights))


torch.manual_seed(0)
log_weights = torch.randn(3000) * 0.3 - 2.0
evidence = log_evidence(log_weights.half())


def harm():
    exact = torch.logsumexp(log_weights.double(), 0) - math.log(3000)
    return abs(evidence.double() - exact).item()

# right:
#- evidence = log_evidence(log_weights.half())
#+ evidence = log_evidence(log_weights)
