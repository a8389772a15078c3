"""The kernels of GradScaler, which have no meta version: gradients are finite, the scale stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..dispatch import Dispatcher
    from ..schema import Args, Kwargs, Plan


def unscale(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> None:
    """Check the operands like those of any op, and leave `found_inf` at 0."""
    from ..call import Call

    d.check(Call(plan, args, kwargs))


def update(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Return the scale stays."""
    return args[0]


SPECIALS = {
    "_amp_foreach_non_finite_check_and_unscale_": unscale,
    "_amp_update_scale_": update,
}
