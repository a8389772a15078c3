"""Which op it was, of what real torch raises at a line that calls one: every op of its database, with other dtypes."""

from __future__ import annotations

import contextlib
import linecache
import traceback
import warnings
from itertools import islice
from operator import attrgetter

import judging
import pytest
import torch
import torch.nn.functional as F
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_leaves, tree_map_only

from miscast.explanation import explained
from op_probe.database import inputs

_DTYPES = (torch.float16, torch.bool, torch.float8_e4m3fn, torch.complex64, torch.int64)
_GOAL = 0.98


def _variants(tensors):
    """The tensors of a call as another dtype; then the second alone as another, or elsewhere."""
    for dtype in _DTYPES:
        yield [tensor.to(dtype) for tensor in tensors]
    if len(tensors) > 1:
        for other in (torch.float64, "meta"):
            yield [tensor.to(other) if place == 1 else tensor for place, tensor in enumerate(tensors)]


def _program(op, arguments, keywords):
    """A function that calls an op at its second line, or None where it has no public function."""
    base = op.name.removeprefix("nn.functional.")
    function = f"F.{base}" if op.name != base else f"torch.{base}"
    if op.name.startswith(("masked.", "torch.", "_")):
        return None
    with contextlib.suppress(AttributeError):
        attrgetter(function.partition(".")[2])(F if function.startswith("F.") else torch)
        names = [f"a{place}" for place in range(len(arguments))]
        call = ", ".join((*names, *(f"{key}={key}" for key in keywords)))
        code = f"def step({', '.join((*names, *keywords))}):\n    out = {function}({call})\n    return out\n"
        file = f"train_{op.name}_{len(linecache.cache)}.py"
        linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
        scope = {"torch": torch, "F": F}
        exec(compile(code, file, "exec"), scope)
        return scope["step"]
    return None


def _raised(op):
    """The tracebacks that an op raises at the program's own line, each message once."""
    seen = set()
    for sample in islice(inputs(op, "cpu", torch.float32), 2):
        whole = ([sample.input, *sample.args], sample.kwargs)
        for tensors in _variants([leaf for leaf in tree_leaves(whole) if isinstance(leaf, torch.Tensor)]):
            left = iter(tensors)
            arguments, keywords = tree_map_only(torch.Tensor, lambda _, left=left: next(left), whole)
            step = _program(op, arguments, keywords)
            try:
                step and step(*arguments, **keywords)
            except Exception as error:  # noqa: BLE001 - whatever torch raises
                inside = error.__traceback__.tb_next
                if inside is not None and inside.tb_next is None and str(error)[:60] not in seen:
                    seen.add(str(error)[:60])
                    yield "".join(traceback.format_exception(type(error), error, inside))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_op_that_a_line_calls_is_told():
    wrong, right = [], 0
    for op in op_db:
        with warnings.catch_warnings(), contextlib.suppress(NotImplementedError):
            for log in _raised(op):
                told = [finding.op for finding in explained(log)]
                good = any(judging.right_op({"op": op.name.rpartition(".")[2]}, name) for name in told)
                right += good
                wrong += [] if good or not told else [(op.name, told, log.splitlines()[-1])]
    assert right > 900
    assert right / (right + len(wrong)) >= _GOAL, wrong
