"""A program's source, run with and without a shadow."""

from __future__ import annotations

import linecache
import textwrap

import torch

from miscast.numbers.values.session import Session


def plain(source: str, name: str = "program") -> dict[str, object]:
    """What the program's variables are in the end."""
    file = f"/program/{name}.py"
    source = textwrap.dedent(source)
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    variables: dict[str, object] = {"__name__": "__main__"}
    exec(compile(source, file, "exec"), variables)
    return variables


def shadowed(source: str, name: str = "program", **options) -> tuple[Session, dict[str, object]]:
    """The session, with all that was seen, and the variables."""
    session = Session(**options)
    with session.on():
        variables = plain(source, name)
    assert not session.shadow.failed
    return session, variables


def told(session: Session) -> list[tuple[str, int]]:
    """Rules and lines."""
    return [(found.rule, found.location.line) for found in session.findings()]


def tensors(variables: dict[str, object]) -> dict[str, torch.Tensor]:
    """All tensors of a program: its variables, its modules', their gradients, its optimizers' state."""
    found: dict[str, torch.Tensor] = {}
    for name, value in variables.items():
        if isinstance(value, torch.Tensor):
            found[name] = value
        elif isinstance(value, torch.nn.Module):
            for key, one in [*value.named_parameters(), *value.named_buffers()]:
                found[f"{name}.{key}"] = one
                if one.grad is not None:
                    found[f"{name}.{key}.grad"] = one.grad
        elif isinstance(value, torch.optim.Optimizer):
            for index, state in enumerate(value.state.values()):
                found |= {f"{name}.{index}.{key}": one for key, one in state.items() if isinstance(one, torch.Tensor)}
    return found


def same_bits(one: torch.Tensor, other: torch.Tensor) -> bool:
    """NaN like NaN, -0.0 unlike 0.0."""
    return one.dtype == other.dtype and one.shape == other.shape and bool((_bytes(one) == _bytes(other)).all())


def _bytes(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8)
