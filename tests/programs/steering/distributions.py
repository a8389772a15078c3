# machine: v100
# real: cpu
# Distributions check their arguments.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
d = torch.distributions
loc, scale = torch.randn(4, device=dev), torch.rand(4, device=dev) + 0.1
normal = d.Normal(loc, scale)
normal.log_prob(normal.rsample())
cat = d.Categorical(probs=torch.softmax(loc, -1))
cat.log_prob(cat.sample())
beta = d.Beta(scale, scale)
beta.log_prob(beta.sample().clamp(1e-3, 1 - 1e-3))
cov = torch.eye(4, device=dev) * scale
mvn = d.MultivariateNormal(loc, covariance_matrix=cov)
mvn.log_prob(mvn.sample())
d.Bernoulli(torch.sigmoid(loc)).log_prob(torch.ones(4, device=dev))
d.Dirichlet(scale).log_prob(torch.softmax(loc, -1))
d.Uniform(loc, loc + scale).sample()
d.kl_divergence(normal, d.Normal(loc, scale)).sum()
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
