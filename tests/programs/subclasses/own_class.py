# machine: a100
# Classes of tensors made in every way there is, which are asked about functions and attributes.
import copy

import torch
from torch.nn.attention.bias import causal_upper_left


class Boxes(torch.Tensor):
    asked = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func == torch.Tensor.device.__get__:
            cls.asked.append("device")
        if func is torch.Tensor.numpy:
            return "numpy"
        return super().__torch_function__(func, types, args, kwargs or {})


class Named(torch.Tensor):
    def __new__(cls, data, name):
        return torch.Tensor._make_subclass(cls, data)

    def __init__(self, data, name):
        self.label = name


assert Boxes([1.0, 2.0]).tolist() == [1, 2]
assert type(Boxes(2, 3)) is Boxes
assert type(Boxes(torch.ones(3))) is Boxes
assert Boxes().shape == (0,)
named = Named(torch.ones(3, device="cuda"), "mask")
assert (named.label, named.device.type) == ("mask", "cuda")
assert named.cpu().tolist() == [1, 1, 1]
boxes = torch.ones(3, device="cuda").as_subclass(Boxes).requires_grad_()
assert (boxes.device.type, boxes.is_cuda, Boxes.asked[-1]) == ("cuda", True, "device")
assert boxes.numpy() == "numpy"
(boxes * 2).sum().backward()
assert (type(boxes.grad), boxes.grad.device.type) == (torch.Tensor, "cuda")
assert type(copy.deepcopy(named)) is Named
assert causal_upper_left(4, 4).device.type == "cpu"
half = Boxes([[1.0, 2.0]]).cuda().half()
torch.nn.functional.linear(half, torch.ones(3, 2, device="cuda"))  # finding: operand-dtype-mismatch linear input
