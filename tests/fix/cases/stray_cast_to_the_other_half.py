# machine: a100
import torch

dtype = torch.float16


class Index:
    def __init__(self):
        self.vectors = torch.randn(4, 8, device="cuda", dtype=dtype)

    def search(self, query):
        return (query.bfloat16() @ self.vectors.T).float().softmax(-1)


print(Index().search(torch.randn(2, 8, device="cuda").to(dtype)).argmax(-1))
# fixed:
#-         return (query.bfloat16() @ self.vectors.T).float().softmax(-1)
#+         return (query @ self.vectors.T).float().softmax(-1)
