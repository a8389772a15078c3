# machine: a100
# How many boxes are kept is a matter of their values: the fakes ask for a size, as those of detectors do.
import torch

library = torch.library.Library("boxes", "DEF")
library.define("keep(Tensor boxes, Tensor scores, float threshold) -> Tensor")
library.define("crop(Tensor input, Tensor boxes, SymInt size) -> Tensor")


@torch.library.register_fake("boxes::keep")
def _(boxes, scores, threshold):
    torch._check(boxes.shape[1] == 4, lambda: "boxes should have 4 elements")
    return boxes.new_empty(torch.library.get_ctx().new_dynamic_size(), dtype=torch.long)


@torch.library.register_fake("boxes::crop")
def _(input, boxes, size):
    torch._check(
        input.dtype == boxes.dtype, lambda: f"Expected the same type; but type {input.dtype} is not {boxes.dtype}"
    )
    most = torch.library.get_ctx().new_dynamic_size(min=1, max=6)
    return input.new_empty(most, input.shape[1], size, size)


boxes, scores = torch.rand(20, 4, device="cuda"), torch.rand(20, device="cuda")
kept = torch.ops.boxes.keep(boxes, scores, 0.5)
assert kept.dtype is torch.long and kept.is_cuda and 0 <= len(kept) <= 20
best = boxes[kept][:8]
features = torch.randn(2, 8, 16, 16, device="cuda", dtype=torch.float16, requires_grad=True)
assert torch.ops.boxes.crop(features, best.half(), 7).shape[1:] == (8, 7, 7)
assert torch.ops.boxes.crop(features, best.half(), 7).shape[0] <= 6
torch.ops.boxes.crop(features, best, 7)  # finding: operand-dtype-mismatch crop boxes
