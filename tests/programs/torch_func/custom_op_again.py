# machine: a100
# real: cpu
# An op that is defined again, as by a notebook's cell run twice: the end of the first takes no kernel of the second.
import gc

import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"


def define():
    @torch.library.custom_op("miscast_tests::again", mutates_args=())
    def again(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return x @ w  # finding: operand-dtype-mismatch matmul other

    return again


define()
again = define()
gc.collect()  # the first one and its library are a circle of references
half = torch.randn(2, 3, device=dev).half()
full = torch.randn(3, 4, device=dev)  # origin
# fixed: full = torch.randn(3, 4, device=dev).half()
again(half, full)
