# machine: a100
# A mask takes the dtype of `x` by a name that was set before: the cast changes nothing, and x is the cause of both.
import torch

norm = torch.nn.LayerNorm(8).to("cuda", torch.bfloat16)
emb = torch.nn.Embedding(4, 8).to("cuda")  # origin
x = emb(torch.tensor([[0, 1, 2, 3]], device="cuda"))
dtype = x.dtype
mask = torch.full((4, 4), torch.finfo(dtype).min, device="cuda")
mask = mask.to(dtype)
q = norm(x)[:, None]  # finding: operand-dtype-mismatch layer_norm input
torch.nn.functional.scaled_dot_product_attention(q, q, q, attn_mask=mask)  # consequence: operand-dtype-mismatch scaled_dot_product_attention attn_mask
