"""The moments of Inception features for a Frechet distance grow batch by batch in the features' bfloat16."""
import torch


class FeatureMoments:
    def __init__(self, size, dtype):
        self.total = torch.zeros(size, dtype=dtype)
        self.outer = torch.zeros(size, size, dtype=dtype)
        self.seen = 0

    def update(self, features):
        features = features.to(self.outer.dtype)
        self.total += features.sum(0)
        self.outer.addmm_(features.T, features)  # fault: statistics-in-half
        self.seen += features.shape[0]

    def compute(self):
        mean = self.total / self.seen
        return mean, self.outer / self.seen - torch.outer(mean, mean)


torch.manual_seed(0)
batches = [torch.relu(0.5 + 0.3 * torch.randn(32, 24)).bfloat16() for _ in range(400)]
moments = FeatureMoments(24, batches[0].dtype)
for batch in batches:
    moments.update(batch)
mean, covariance = moments.compute()


def harm():
    exact = torch.cat(batches).double().T.cov(correction=0)
    return ((covariance.double() - exact).norm() / exact.norm()).item()

# right:
#- moments = FeatureMoments(24, batches[0].dtype)
#+ moments = FeatureMoments(24, torch.float64)
