"""One block of a fork, watched until it ends."""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from ...core.failure import spelled
from ..judging import op_errors
from ..provenance.origin import USER, kind_of
from ..provenance.whose_failure import is_miscasts
from .sides import Side

if TYPE_CHECKING:
    from ..machine import VirtualMachine


_PASSES = 2
"""The most times it goes back: to the end of an enclosing `with`, to a loop's next pass."""
_PARTS = frozenset({"<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>", "<lambda>"})
"""Names of code inside an expression, which goes on after it."""


class Running:
    """One block, watched line by line in the frame that it is in: it ends where the frame goes elsewhere.

    Where it sets what is looked at behind it, the function goes on to its end, or through the branch once more, the way
    that it then goes by itself, in the next pass of the loop; and if it returns something, or an object was changed, so
    does the one that called it.
    """

    def __init__(
        self,
        frame: FrameType,
        side: Side,
        vm: VirtualMachine,
        end: Callable[[str | None], NoReturn],
        whole: int = 0,
    ) -> None:
        """Take the block `side` in a frame, of a statement that ends in line `whole`; `end` is called at its end."""
        self._frame, self._side, self._vm, self._end = frame, side, vm, end
        self._error: BaseException | None = None
        self._raised = False
        self._behind = False
        self._place = side.lead, max(side.last, whole)
        self._is_behind, self._passes = True, 0
        self._left = self._again = False
        self._entered = side.lead == side.first  # a part of a line is on it

    def watch(self) -> None:
        """Trace the frame from now on."""
        sys.settrace(lambda *_: None)
        self._frame.f_trace = self._event

    def over(self, error: BaseException | None) -> NoReturn:
        """End the block, as the program ended before it: a generator that is not resumed never ends."""
        sys.settrace(None)
        self._error = error
        self._ended()

    def _event(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "exception":
            kind, error, trace = arg
            # a loop's end is none; an error has no trace of its own until it is caught
            ends = issubclass(kind, StopIteration)
            self._error = None if ends else error.with_traceback(trace)
            self._raised = True
        elif event == "line" and (
            self._is_there(frame) or self._goes_on(frame.f_lineno)
        ):
            # a region that an error leaves is left line by line, too
            if not self._raised and sys.exc_info()[1] is not self._error:
                self._error = None
            self._raised = False
        elif event == "return" and not _yields(frame) and self._goes_up(frame, arg):
            return None
        elif event == "line" or not _yields(frame):
            sys.settrace(None)
            self._ended()
        return self._event

    def _is_there(self, frame: FrameType) -> bool:
        """Check whether the frame is in the block, or on the way to it."""
        side, line = self._side, frame.f_lineno
        if frame is not self._frame or self._behind:
            return False
        if not self._entered and side.first <= line <= side.last:
            self._entered, self._error = True, None
        return (side.first if self._entered else side.lead) <= line <= side.last

    def _goes_on(self, line: int) -> bool:
        """Check whether the fork continues after the block, which had no error."""
        side = self._side
        if not (side.matters and self._entered) or (
            self._error is not None and not self._behind
        ):
            return False
        self._behind = True
        before, (lead, last) = self._is_behind, self._place
        if lead <= line <= last:
            self._again = self._left  # to where it was
            return True
        self._left = True
        self._is_behind = line > last
        self._passes += before and not self._is_behind
        ahead = self._is_behind or self._passes <= _PASSES
        return ahead and not self._again

    def _goes_up(self, frame: FrameType, returned: object) -> bool:
        """Check whether it goes on in the program's function that called this one."""
        side, caller = self._side, _own_caller(frame)
        kept = side.outlives or (side.matters and returned is not None)
        if caller is None or frame.f_code.co_name == "<module>":
            return False
        if not (kept and self._entered) or self._error is not None:
            return False
        self._behind, self._place = True, (caller.f_lineno,) * 2
        self._is_behind, self._passes = True, 0
        self._left = self._again = False
        caller.f_trace = self._event
        return True

    def _ended(self) -> NoReturn:
        error = self._error
        if error is None and not self._entered:
            self._end("another branch was taken")
        if error is None or isinstance(error, (SystemExit, KeyboardInterrupt)):
            self._end(None)
        with self._vm.recorder.failures.during("it reported how a branch ended"):
            if not is_miscasts(error):
                op_errors.ending(self._vm.recorder, error)
        self._end(None if self._behind else spelled(error))


def _own_caller(frame: FrameType) -> FrameType | None:
    """Return the frame of the program's function that called this one."""
    caller = frame.f_back
    while caller is not None and (
        kind_of(caller.f_code) != USER or caller.f_code.co_name in _PARTS
    ):
        caller = caller.f_back
    return caller


def _yields(frame: FrameType) -> bool:
    return (
        frame.f_lasti >= 0
        and dis.opname[frame.f_code.co_code[frame.f_lasti]] == "YIELD_VALUE"
    )
