"""Float16 embeddings are normalized with the default eps of 1e-12, which is 0 in float16: an empty text is NaN."""
import torch
import torch.nn.functional as F


def encode(table, texts):
    rows = []
    for ids in texts:
        total = table[ids].float().sum(dim=0)
        rows.append((total / max(len(ids), 1)).to(table.dtype))
    pooled = torch.stack(rows)
    return F.normalize(pooled, dim=-1)  # fault: eps-vanishes


torch.manual_seed(0)
table = torch.randn(1000, 64).half()
texts = [torch.randint(0, 1000, (n,)) for n in (7, 3, 0, 12, 1, 0, 5, 9)]
embeddings = encode(table, texts)
similarity = embeddings.float() @ embeddings.float().T


def harm():
    bad = (~torch.isfinite(similarity)).double().mean().item()
    return float(bad)

# right:
#-     return F.normalize(pooled, dim=-1)
#+     return F.normalize(pooled.float(), dim=-1).to(table.dtype)
