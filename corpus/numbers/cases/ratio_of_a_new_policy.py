"""PPO's ratio exp(new - old) in float16, for an action that the old policy hardly ever took: it is infinite."""
import torch


def surrogate(new, old, advantage, clip=0.2):
    ratio = torch.exp(new - old)  # fault: overflow
    return -torch.min(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage).mean()


torch.manual_seed(0)
old = -torch.rand(64) * 2
old[::16] = -14.0
new = old + 0.1 * torch.randn(64)
new[::16] = -1.5
advantage = torch.randn(64)
advantage[::16] = -0.5
loss = surrogate(new.half(), old.half(), advantage.half())


def harm():
    return float(not loss.isfinite())

# right:
#- loss = surrogate(new.half(), old.half(), advantage.half())
#+ loss = surrogate(new, old, advantage)
