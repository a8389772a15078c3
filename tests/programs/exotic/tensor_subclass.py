# machine: v100
# real: cpu
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"


class Tagged(torch.Tensor):
    pass


class Logged(torch.Tensor):
    calls = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.calls.append(getattr(func, "__name__", str(func)))
        return super().__torch_function__(func, types, args, kwargs or {})


x = torch.randn(2, 3, device=dev).as_subclass(Tagged)
assert isinstance(x + 1, Tagged) and (x @ x.T).device.type == dev
y = torch.ones(2, 2).as_subclass(Logged)
(y * 2).sum()
assert "mul" in Logged.calls and "sum" in Logged.calls
