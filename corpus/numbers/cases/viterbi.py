"""Scores of a Viterbi path are added up over 800 frames in bfloat16: the best path is chosen by rounding."""
import torch


def best(emissions, transitions):
    score, back = emissions[0], []
    for emission in emissions[1:]:
        ways = score[:, None] + transitions
        top = ways.max(0)
        score = top.values + emission  # fault: accumulate-in-half
        back.append(top.indices)
    state, path = score.argmax(), []
    for pointers in reversed(back):
        path.append(state)
        state = pointers[state]
    return torch.stack([state, *reversed(path)])


torch.manual_seed(0)
emissions, transitions = torch.randn(800, 12).log_softmax(-1), torch.randn(12, 12).log_softmax(-1)
path = best(emissions.bfloat16(), transitions.bfloat16())


def harm():
    return (path != best(emissions.double(), transitions.double())).float().mean().item()

# right:
#- path = best(emissions.bfloat16(), transitions.bfloat16())
#+ path = best(emissions, transitions)
