"""Track how a run trains: scaled gradients, who unscales and steps, and the dtype of gradient sums.

Told by the virtual machine of backward passes, of gradients as they come, of GradScalers and of optimizers' steps.
"""

from __future__ import annotations

import inspect
import sys
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from ...running.precision.harmless import harmless
from ...vm.provenance.origin import USER, Place, kind_of, places, program_frames
from ...vm.provenance.record import find, is_tensor
from . import optimizers
from .gradients import Gradients
from .loss import HALF, PRECISION, Lost, misused, short, spelled
from .names import NORM_OF_SCALED
from .own_clips import ADDED, CLIPPED, DividedByHand, OwnClips
from .reloaded import Reloaded
from .scaled_losses import ScaledLosses
from .scalers import Scalers, refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .teller import Teller

LOSS = "loss, scaled"
_SCALE = frozenset({"get_scale", "_scale"})
_READ = {LOSS: "the loss", NORM_OF_SCALED: "a norm of gradients"}
_INFINITE = frozenset({
    "isfinite", "isinf", "isnan", "found_inf", "found_infs", "_found_inf_per_device", "_check_inf_per_device",
})  # fmt: skip
_MANY = 4
"""Sums of so many gradients as a dtype has steps between a number and its double, over this, round off what counts."""


class Training:
    """The training of one run."""

    def __init__(self, teller: Teller) -> None:
        self.guard = teller.guard
        self._teller = teller
        self._scaled_losses = ScaledLosses()
        self.back_scaled = False  # the last backward pass was of a scaled loss
        self.gradients = Gradients()
        self.scalers = Scalers(teller)
        self._judged: weakref.WeakSet[Any] = weakref.WeakSet()
        self._made: weakref.WeakKeyDictionary[Any, Place | None] = (
            weakref.WeakKeyDictionary()
        )
        # where the first optimizer was made; a gradient was asked for, or a step taken, since the run began
        self._first: tuple[Place | None] | None = None
        self._trained = False
        self.steps = 0  # of all optimizers
        # optimizers whose gradients a scaler has divided in this step
        self._divided: set[int] = set()
        # by a scaler, since the last backward pass
        self._stepped: weakref.WeakSet[Any] = weakref.WeakSet()
        # the last backward pass of a loss that was not scaled
        self._plain: Place | None = None
        # since a scaler's last `update`: a backward pass came; torch refused a call
        self._passed = self._refused = False
        self._within = 0  # steps that a scaler takes
        # the last step that an optimizer took itself, with gradients that a scaler had divided
        self._past: tuple[list[torch.Tensor], Place | None] = [], None
        # since the last step: float16 autocast was on, with gradients wanted; and some of them were float16
        self.half_region = self._half_back = False
        self.own = OwnClips()
        self.by_hand = DividedByHand()
        self._reloaded = Reloaded()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch optimizer steps within the block."""
        hooks = (
            register_optimizer_step_pre_hook(self._before_step),
            register_optimizer_step_post_hook(self._after_step),
        )
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()

    # what is made

    @harmless
    def optimizer(self, optimizer: Any, place: Place | None) -> None:
        """Record a new optimizer."""
        self._made[optimizer] = place
        self._first = self._first or (place,)

    @harmless
    def loaded(self, optimizer: Any, saved: Any) -> None:
        """Record that an optimizer's states are loaded."""
        self._reloaded.loaded(optimizer, saved, places(sys._getframe(1))[0])

    @property
    def untrained(self) -> tuple[Place | None] | None:
        """The place where an optimizer was created, if nothing was trained after it."""
        return None if self._trained else self._first

    @harmless
    def scaler(self, scaler: Any, place: Place | None) -> None:
        """Record a new GradScaler."""
        self.scalers.made(scaler, place)

    # a backward pass

    @harmless
    def region(self, dtype: torch.dtype) -> None:
        """Record that an autocast region is entered with gradients enabled."""
        self.half_region |= dtype is torch.float16

    @harmless
    def passed_back(self, given: Iterable[Any]) -> None:
        """Record the operands of an op in a backward pass."""
        self._half_back |= any(
            isinstance(one, torch.Tensor) and one.dtype is torch.float16
            for one in given
        )

    @harmless
    def scaled(self, result: Any) -> None:
        """Record a value that a scaler has scaled."""
        self._scaled_losses.add(result)
        record = find(result) if is_tensor(result) else None
        if record is not None and self.scalers.scale != 1:
            record.made_by = LOSS

    @harmless
    def read(self, tensor: torch.Tensor) -> None:
        """Report a number that the program reads while it is still scaled."""
        record, (user, library) = find(tensor), places(sys._getframe(1))
        if record is None or library is not None or record.made_by not in _READ:
            return
        if not _asks_for(_SCALE | _INFINITE):
            lost = misused(
                f"the value read here is {_READ[record.made_by]} times the scale, initially "
                f"{spelled(self.scalers.scale)}"
            )
            self._teller.tell("item", lost, tensor, user)

    @harmless
    def backward(self, roots: Iterable[Any]) -> None:
        """Record a backward pass from these roots."""
        self.back_scaled = any(map(self._scaled_losses.begin, roots))
        self._last = places(sys._getframe(1))[0]
        self._passed = self._trained = True
        self._stepped.clear()
        if not self.back_scaled and self.scalers:
            self._plain = self._last

    @harmless
    def gradient(
        self, parameter: Any, gradient: torch.Tensor, *, accumulated: bool
    ) -> None:
        """Record that a parameter gets its gradient, or accumulates more of it."""
        before = self.gradients.came(
            parameter, gradient, accumulated=accumulated, scaled=self.back_scaled
        )
        if accumulated and before is not None and before != self.back_scaled:
            self._misused(
                "backward",
                "a scaled gradient is added to one that was divided by the scale: call unscale_ and update "
                "once, after all micro-batches"
                if self.back_scaled
                else "the gradient of a loss that is not scaled is added to a scaled one: scaler.step divides both",
                parameter,
                self._last,
            )
        many, dtype = self.gradients.sums[id(parameter)], gradient.dtype
        if dtype in HALF and many == 2 ** PRECISION[dtype] // _MANY:
            self._teller.tell(
                "backward",
                Lost(
                    rule="sum-stalls",
                    operand="grad",
                    form="gradients",
                    figures=f"{many} or more gradients are summed in {short(dtype)}, where "
                    f"a sum of equal terms stops growing after {2 ** PRECISION[dtype]}",
                ),
                parameter,
            )

    @harmless
    def asked(
        self, roots: Iterable[Any], inputs: Any, gradients: Iterable[Any]
    ) -> None:
        """Record gradients that the program requests itself, and may use in any way."""
        self._trained = True
        if any(map(self._scaled_losses.begin, roots)):
            every = [inputs] if isinstance(inputs, torch.Tensor) else inputs
            for parameter, gradient in zip(every, gradients, strict=False):
                self.gradients.asked(parameter, gradient)

    # a step

    @harmless
    def unscaled(self, optimizer: Any) -> None:
        """Record that a scaler unscales the gradients of an optimizer's parameters."""
        self._divided.add(id(optimizer))
        for parameter in self.gradients.mixed(_parameters(optimizer))[:1]:
            self._misused(
                "backward",
                "a scaled gradient is added to the last step's, which was divided by the scale: call "
                "zero_grad() in between",
                parameter,
                self._last,
            )
        for parameter in self.gradients.divided(_parameters(optimizer)):
            self._misused(
                "step",
                "the program has divided these gradients by the scale itself, and the scaler divides them again",
                parameter,
            )

    @contextmanager
    def scaler_steps(self, scaler: Any, optimizer: Any) -> Iterator[None]:
        """Record a scaler's step of an optimizer within the block."""
        self._begins(scaler, optimizer)
        self._within += 1
        try:
            yield
        finally:
            self._within -= 1
            self._stepped.add(optimizer)
            # an optimizer of the program's own calls no hook
            self.gradients.stepped(_parameters(optimizer))

    @harmless
    def _begins(self, scaler: Any, optimizer: Any) -> None:
        self._mixes(optimizer)
        if self.own.misuses and id(optimizer) not in self._divided:
            scaled = self.gradients.scaled(_parameters(optimizer))
            for what, at in self.own.misuses.items() if scaled else ():
                self._misused("add" if what == ADDED else "clip", what, scaled[0], at)
        self.scalers.steps(scaler, optimizer)

    def _mixes(self, optimizer: Any) -> None:
        """Report an optimizer with scaled and unscaled gradients, all of which the scaler will divide."""
        found = self.gradients.kinds(_parameters(optimizer))
        if (
            False in found
            and self._plain is not None
            and id(optimizer) not in self._divided
        ):
            self._teller.tell(
                "backward",
                misused(
                    "this loss is not scaled, but others of the step are: its gradients are divided anyway"
                    if len(found) > 1
                    else "this loss is not scaled, but scaler.step divides its gradients anyway",
                    "",
                ),
                None,
                self._plain,
            )

    @contextmanager
    def clipping(self, parameters: Any) -> Iterator[None]:
        """Ignore the ops by which torch clips gradients, to a norm or a value, within the block."""
        self._clipped(parameters)
        self._teller.stepping += 1
        try:
            yield
        finally:
            self._teller.stepping -= 1

    @harmless
    def _clipped(self, parameters: Any) -> None:
        one = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
        scaled = self.gradients.scaled(one)
        if scaled:
            self._misused("clip_grad_norm_", CLIPPED, scaled[0])

    @harmless
    def _before_step(self, optimizer: Any, *_: Any) -> None:
        self._trained = True
        self.steps += 1
        self._teller.stepping += not _is_the_programs(optimizer)
        parameters = [p for p in _parameters(optimizer) if p.grad is not None]
        self._judge(optimizer, parameters)
        if not (self._within or self.own.any):
            self._steps(optimizer, parameters)

    def _judge(self, optimizer: Any, parameters: list[torch.Tensor]) -> None:
        """Report what an optimizer, once, its loaded states and its step do to numbers."""
        if optimizer not in self._judged and parameters:
            self._judged.add(optimizer)
            for lost, parameter in optimizers.judged(optimizer):
                state = lost.rule == "state-in-half"
                at = self._made.get(optimizer) if state else optimizers.born(parameter)
                self._teller.tell(type(optimizer).__name__, lost, parameter, at)
        for lost, parameter, place in self._reloaded.kept(optimizer):
            self._teller.tell("load_state_dict", lost, parameter, place)
        part = self.by_hand.step(parameters)
        if part is not None:
            self._teller.tell("step", part[0], parameters[0], part[1])

    def _steps(self, optimizer: Any, parameters: list[torch.Tensor]) -> None:
        """Report a step past the scaler, or a second one."""
        scaled = self.gradients.scaled(parameters)
        again = self.gradients.mixed(parameters)
        if parameters and (optimizer in self._stepped or again):
            self._misused(
                "step",
                "scaler.step has already taken this step: it is repeated with the same gradients",
                (again or parameters)[0],
            )
        elif scaled:
            self._misused(
                "step",
                "the optimizer steps with scaled gradients; scaler.step would divide them first",
                scaled[0],
            )
        elif id(optimizer) in self._divided and not _asks_for(_INFINITE):
            self._past = [*parameters[:1]], places(sys._getframe(1))[0]
        elif self._half_back and not self.scalers and parameters:
            self._unscaled_half(parameters)

    def refuses(self, op: str, optimizer: Any, error: BaseException) -> bool:
        """Check whether an error is a misuse of the scaler, and report it. Raises it if the program would catch it."""
        parameters = [] if optimizer is None else _parameters(optimizer)
        lost = refused(error, parameters, self.gradients, passed=self._passed)
        if lost is None or self.guard.lost:
            return False
        if (
            optimizer is not None or not self._refused
        ):  # else that is why there is nothing to update
            self._teller.tell(op, lost, parameters[0] if parameters else None)
        self._refused = True
        if op.endswith("unscale_"):
            list(self.gradients.divided(parameters))
        return True

    @harmless
    def updated(self) -> None:
        """Record a scaler's update; report optimizers that stepped past it, and so could not skip steps."""
        self._passed = self._refused = False
        for parameter in self._past[0]:
            self._misused(
                "step",
                "the optimizer bypasses the scaler that has unscaled its gradients: a step with infinities is "
                "not skipped",
                parameter,
                self._past[1],
            )
        self._past = [], None

    def _unscaled_half(self, parameters: list[torch.Tensor]) -> None:
        wide = [
            one
            for one in parameters
            if one.dtype is torch.float32 and self.gradients.as_it_came(one)
        ]
        if wide:
            self._misused(
                "step",
                "float16 autocast without a GradScaler: gradients below 6e-8 become 0 in the backward pass"
                if self.scalers.off is None
                else "float16 autocast with a disabled GradScaler: gradients below 6e-8 become 0 in the backward pass",
                wide[0],
                self.scalers.off or self._last,
            )

    @harmless
    def _after_step(self, optimizer: Any, *_: Any) -> None:
        self._teller.stepping -= not _is_the_programs(optimizer)
        self.half_region, self._half_back, self._plain = False, False, None
        self.own.stepped()
        self._divided.discard(id(optimizer))
        self.gradients.stepped(_parameters(optimizer))

    def _misused(
        self, op: str, figures: str, parameter: torch.Tensor, at: Place | None = None
    ) -> None:
        self._teller.tell(op, misused(figures, "param"), parameter, at)


def _asks_for(names: frozenset[str]) -> bool:
    """Check whether a calling function itself uses one of these names, for infinities or a scale."""
    frames = program_frames(sys._getframe(1))
    return any(not names.isdisjoint(frame.f_code.co_names) for frame in frames)


def _parameters(optimizer: Any) -> list[torch.Tensor]:
    return [p for group in optimizer.param_groups for p in group["params"]]


def _is_the_programs(optimizer: Any) -> bool:
    """Check whether the program wrote the optimizer's step: its ops are checked as any others."""
    step = getattr(inspect.unwrap(type(optimizer).step), "__code__", None)
    return step is not None and kind_of(step) == USER
