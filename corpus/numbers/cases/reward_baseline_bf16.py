"""The moving reward baseline of REINFORCE is kept in bfloat16: a step of one thousandth is rounded away and the baseline stalls far below the mean reward."""
import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(6, 3).bfloat16()
states = torch.randn(16, 6).bfloat16()
baseline = torch.zeros((), dtype=torch.bfloat16)
history = []
for episode in range(3000):
    reward = 5.0 + torch.randn(()) * 0.5
    history.append(reward.item())
    baseline = 0.999 * baseline + 0.001 * reward.to(baseline.dtype)  # fault: state-in-half
    advantage = reward - baseline.float()

log_probs = policy(states).float().log_softmax(-1)[:, 0]
loss = -(log_probs * advantage).mean()
loss.backward()


def harm():
    right = 0.0
    for reward in history:
        right = 0.999 * right + 0.001 * reward
    return abs(baseline.item() - right) / right

# right:
#- baseline = torch.zeros((), dtype=torch.bfloat16)
#+ baseline = torch.zeros(())
#-     baseline = 0.999 * baseline + 0.001 * reward.to(baseline.dtype)
#+     baseline = 0.999 * baseline + 0.001 * reward
