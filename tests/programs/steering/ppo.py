# machine: v100
# real: cpu
# PPO's epochs end when the policy has moved too far.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
policy = torch.nn.Linear(4, 3).to(dev)
opt = torch.optim.Adam(policy.parameters(), lr=0.05)
obs = torch.randn(32, 4, device=dev)
with torch.no_grad():
    old = torch.distributions.Categorical(logits=policy(obs))
    actions = old.sample()
    old_logp = old.log_prob(actions)
adv = torch.randn(32, device=dev)
adv = (adv - adv.mean()) / (adv.std() + 1e-8)
target_kl = 0.01
for epoch in range(80):
    new = torch.distributions.Categorical(logits=policy(obs))
    logp = new.log_prob(actions)
    ratio = (logp - old_logp).exp()
    kl = (old_logp - logp).mean()
    if kl > 1.5 * target_kl:
        break
    loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
