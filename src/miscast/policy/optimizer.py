"""True mixed precision: half weights for the forward, float32 ones for the update.

An update smaller than half a step of the weight's dtype is lost in it: at 1.0 bfloat16 steps by 2⁻⁷ upwards, so no
update below 0.0039 arrives. The float32 copies take it, and the weights are the copies' roundings.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from .rounding import rounded
from .torch_dtypes import torch_dtype

if TYPE_CHECKING:
    from .policy import Policy

_HALF = (torch.float16, torch.bfloat16)
_MASTER = "master"
"""The key of the float32 copy in the state of a parameter."""
Group = dict[str, Any]


class _State(defaultdict[Any, Any]):
    """State by parameter, made by a step that changes nothing when somebody asks whether there is any.

    torch.distributed.checkpoint does, and would make it itself with gradients in the parameters' dtype, which torch
    refuses where another is accumulated in (torch/distributed/checkpoint/state_dict.py: `_init_optim_state`).
    """

    def __init__(self, owner: MasterWeights) -> None:
        super().__init__(dict)
        self.owner = owner

    def __bool__(self) -> bool:
        if not len(self):
            self.owner.initialize()
        return len(self) > 0

    def __copy__(self) -> _State:
        """Return a `defaultdict` makes its copy with its factory and itself."""
        copied = _State(self.owner)
        copied.update(self)
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        return _State, (self.owner,), None, None, iter(self.items())


def optimizer(
    policy: Policy, model: Any, cls: type, *, rounding: str | None, **options: Any
) -> torch.optim.Optimizer:
    """Return `cls` itself if no weight is half precision or `rounding` makes copies needless, else `MasterWeights`."""
    groups = _groups(model)
    if rounding is not None:
        return rounded(rounding, cls, groups, options)
    if not any(p.dtype in _HALF for group in groups for p in _tensors(group)):
        return cast("torch.optim.Optimizer", cls(groups, **options))
    reduce = None
    if not _reduced_by_ddp(model):
        reduce = torch_dtype(policy.reduce_dtype) or torch.float32
    return MasterWeights(groups, cls, options, reduce=reduce)


class MasterWeights(torch.optim.Optimizer):
    """An optimizer of another class that steps float32 copies of half parameters.

    `param_groups` hold the model's own parameters: schedulers, gradient clipping, `GradScaler` and closures work on
    them. Gradients accumulate in `reduce`; None: in the parameters' dtype, as DDP needs. The copies follow where
    somebody else writes a parameter, as `load_state_dict` does, but not through `.data`.
    """

    def __init__(
        self,
        groups: list[Group],
        cls: type,
        options: dict[str, Any],
        *,
        reduce: torch.dtype | None = torch.float32,
    ) -> None:
        """Take groups, as torch's optimizers do, and `options` for `cls`."""
        self.reduce = reduce
        self.masters: dict[torch.Tensor, torch.Tensor] = {}
        self._versions: dict[torch.Tensor, int] = {}
        self.inner: torch.optim.Optimizer = cls(
            [self._mastered(group) for group in groups], **options
        )
        self._ready = False
        super().__init__([dict(group) for group in groups], dict(self.inner.defaults))
        self.state = _State(self)
        self._ready = True

    def add_param_group(self, param_group: Group) -> None:
        """Add parameters, with float32 copies for half-precision ones."""
        if getattr(self, "_ready", False):
            param_group = _listed(param_group)
            self.inner.add_param_group(self._mastered(param_group))
        super().add_param_group(param_group)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Step the copies with the parameters' gradients, and write their roundings to the parameters."""
        self._hand_options(self.param_groups, self.inner.param_groups)
        if closure is None:
            self._collect()
            loss: Any = self.inner.step()
        else:
            loss = self.inner.step(self._around(closure))
        self._publish()
        self._hand_options(self.inner.param_groups, self.param_groups)
        self._share_state()
        for master in self.masters.values():
            master.grad = None
        return loss

    def initialize(self) -> None:
        """Make the state that a first step would, with gradients of zero and a learning rate of zero.

        Does nothing where there are gradients to step with, as torch.distributed.checkpoint does.
        """
        parameters = self._parameters()
        if any(parameter.grad is not None for parameter in parameters):
            return
        stepped = [
            self.masters.get(parameter, parameter)
            for parameter in parameters
            if parameter.requires_grad
        ]
        for parameter in stepped:
            parameter.grad = torch.zeros_like(parameter)
        with _learning_rate_of_zero(self.inner.param_groups):
            self.inner.step()
        for parameter in stepped:
            parameter.grad = None
        self._share_state()

    def state_dict(self) -> dict[str, Any]:
        """Return the state as any optimizer does, with each float32 copy as "master" in its parameter's state."""
        for parameter in self.masters:
            self._follow(parameter)
        found: dict[str, Any] = super().state_dict()
        state = {
            key: dict(value) if isinstance(value, dict) else value
            for key, value in found["state"].items()
        }
        for index, parameter in enumerate(self._parameters()):
            if parameter in self.masters:
                state.setdefault(index, {})[_MASTER] = self.masters[parameter].detach()
        return {**found, "state": state}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state from `state_dict`, or of the class without copies: then the copies start at the weights.

        The weights become the copies' roundings.
        """
        self.inner.load_state_dict(
            {**state_dict, "state": _without_masters(state_dict["state"])}
        )
        self._hand_options(self.inner.param_groups, self.param_groups)
        # a parameter is known by its place in the groups; what stands there is a number, or a name in a checkpoint of
        # torch.distributed.checkpoint
        keys = [key for group in state_dict["param_groups"] for key in group["params"]]
        with torch.no_grad():
            for key, parameter in zip(keys, self._parameters(), strict=True):
                saved = state_dict["state"].get(key, {}).get(_MASTER)
                if parameter in self.masters and saved is not None:
                    self.masters[parameter].copy_(saved)
                    self._versions[parameter] = parameter._version
        self.state.clear()
        self._share_state()
        self._publish()

    def __getstate__(self) -> dict[str, Any]:
        for parameter in self.masters:
            self._follow(parameter)
        own = {name: getattr(self, name) for name in ("inner", "masters", "reduce")}
        return {**super().__getstate__(), **own}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._ready = True
        self._versions = {parameter: parameter._version for parameter in self.masters}
        # a copy of a parameter does not know in what its gradient is kept
        for parameter in self.masters:
            self._widen(parameter)

    def _parameters(self) -> list[torch.Tensor]:
        return [
            parameter for group in self.param_groups for parameter in group["params"]
        ]

    def _share_state(self) -> None:
        """Have each parameter's state be its copy's, the copy itself among it."""
        for parameter in self._parameters():
            master = self.masters.get(parameter, parameter)
            state = self.inner.state.get(master)
            if master is not parameter:
                # an empty one must stay so: the optimizer fills it at the first step
                state = state or {}
                state[_MASTER] = master
            if state:
                self.state[parameter] = state

    def _mastered(self, group: Group) -> Group:
        found = []
        for parameter in _tensors(group):
            if parameter.dtype in _HALF:
                self.masters[parameter] = nn.Parameter(
                    parameter.detach().float().clone()
                )
                self._versions[parameter] = parameter._version
                self._widen(parameter)
            found.append(self.masters.get(parameter, parameter))
        return {**group, "params": found}

    def _widen(self, parameter: torch.Tensor) -> None:
        if (
            self.reduce is not None
            and self.reduce != parameter.dtype
            and not hasattr(parameter, "device_mesh")
        ):
            _accumulate_in(parameter, self.reduce)

    def _around(self, closure: Callable[[], Any]) -> Callable[[], Any]:
        def evaluate() -> Any:
            self._publish()
            loss = closure()
            self._collect()
            return loss

        return evaluate

    @torch.no_grad()
    def _collect(self) -> None:
        """Copy the gradients to the float32 master weights."""
        for parameter, master in self.masters.items():
            self._follow(parameter)
            master.grad = (
                None if parameter.grad is None else parameter.grad.to(torch.float32)
            )

    @torch.no_grad()
    def _publish(self) -> None:
        """Round the float32 master weights to the parameters."""
        for parameter, master in self.masters.items():
            self._follow(parameter)
            parameter.copy_(master)
            self._versions[parameter] = parameter._version

    @torch.no_grad()
    def _follow(self, parameter: torch.Tensor) -> None:
        """Update a master weight where its parameter was written since and differs from its rounding."""
        if parameter._version != self._versions[parameter]:
            master = self.masters[parameter]
            master.copy_(
                torch.where(
                    master.to(parameter.dtype) == parameter, master, parameter.float()
                )
            )
            self._versions[parameter] = parameter._version

    @staticmethod
    def _hand_options(source: Iterable[Group], target: Iterable[Group]) -> None:
        for given, taken in zip(source, target, strict=True):
            for key in given.keys() - {"params", "param_names"}:
                taken[key] = given[key]


def _groups(model: Any) -> list[Group]:
    """Return the parameter groups of a module, of parameters or of groups, with lists of their parameters."""
    if isinstance(model, nn.Module):
        return [{"params": [p for p in model.parameters() if p.requires_grad]}]
    given = list(model)
    groups = given if given and isinstance(given[0], dict) else [{"params": given}]
    return [_listed(group) for group in groups]


def _listed(group: Group) -> Group:
    params = group["params"]
    several = [params] if isinstance(params, torch.Tensor) else list(params)
    return {**group, "params": several}


def _without_masters(
    state: Mapping[Any, Mapping[str, Any]],
) -> dict[Any, dict[str, Any]]:
    plain = {
        key: {name: value for name, value in of.items() if name != _MASTER}
        for key, of in state.items()
    }
    return {key: of for key, of in plain.items() if of}


@contextmanager
def _learning_rate_of_zero(groups: Iterable[Group]) -> Iterator[None]:
    learning = [(group, group["lr"]) for group in groups if group.get("lr") is not None]
    for group, lr in learning:
        group["lr"] = torch.zeros_like(lr) if isinstance(lr, torch.Tensor) else 0.0
    try:
        yield
    finally:
        for group, lr in learning:
            group["lr"] = lr


def _reduced_by_ddp(model: Any) -> bool:
    """Check whether DDP reduces the gradients, or may yet: it takes only gradients of their parameters' dtype.

    Where several processes work together, the model is often wrapped after its optimizer is made.
    """
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_world_size() > 1 or _wrapped(model)
    return False


def _wrapped(model: Any) -> bool:
    return isinstance(model, nn.Module) and any(
        isinstance(m, DistributedDataParallel) for m in model.modules()
    )


def _tensors(group: Group) -> list[torch.Tensor]:
    return [item[1] if isinstance(item, tuple) else item for item in group["params"]]


def _accumulate_in(parameter: torch.Tensor, dtype: torch.dtype) -> None:
    """Have a parameter's gradient kept in another dtype than its own."""
    if hasattr(parameter, "grad_dtype"):  # torch 2.10
        parameter.grad_dtype = dtype
        return

    def widen(tensor: torch.Tensor) -> None:
        if tensor.grad is not None and tensor.grad.dtype != dtype:
            # a new gradient of another dtype, torch refuses to take
            tensor.grad.data = tensor.grad.data.to(dtype)

    parameter.register_post_accumulate_grad_hook(widen)
