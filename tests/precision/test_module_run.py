"""What is read off a tensor runs no code of the program."""

from __future__ import annotations

from typing import Any

import torch

from miscast.running.precision.module_run import dtype_of
from miscast.vm.provenance.record import is_tensor


def test_a_dtype_is_read_without_code_of_a_subclass() -> None:
    asked: list[Any] = []

    class Asked(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            asked.append(func)
            return super().__torch_function__(func, types, args, kwargs or {})

    tensor = torch.ones(2, dtype=torch.float16).as_subclass(Asked)
    asked.clear()
    for _ in range(2):  # also once the class is known
        assert is_tensor(tensor)
        assert dtype_of(tensor) is torch.float16
    assert not asked
