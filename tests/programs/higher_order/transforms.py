# machine: a100
# real: cpu
# torch.func's transforms hand ops that take functions on to one another, as for real; mistakes within are found.
import torch
from torch.nn.attention.flex_attention import create_block_mask

dev = "cuda" if torch.cuda.is_available() else "cpu"
document = torch.arange(256, device=dev) // 64


class Square(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


mask = create_block_mask(
    lambda b, h, q, kv: (q >= kv) & (document[q] == document[kv]), None, None, 256, 256, device=dev
)
assert mask.shape == (1, 1, 256, 256) and mask.kv_num_blocks.device.type == dev

x = torch.arange(3.0, device=dev)
assert torch.func.grad(lambda x: Square.apply(x).sum())(x).shape == (3,)
assert torch.vmap(Square.apply)(x).device.type == dev
assert torch.vmap(torch.func.grad(lambda x: Square.apply(x).sum()))(x.view(3, 1)).shape == (3, 1)
assert torch.func.jacrev(Square.apply)(x).shape == (3, 3)
assert torch.vmap(lambda x: torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,)))(x.view(3, 1)).shape == (3, 1)


class Project(Square):
    @staticmethod
    def forward(x):
        return x @ weight  # finding: operand-dtype-mismatch matmul self


weight = torch.eye(3, device=dev).bfloat16()
# fixed: weight = torch.eye(3, device=dev)
torch.vmap(Project.apply)(torch.ones(2, 3, device=dev))
