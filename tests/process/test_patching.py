"""A patch is in effect within, and leaves nothing behind."""

from __future__ import annotations

import sys
import types
from typing import Any

import pytest
import torch

from miscast.running.process.patching import ABSENT, Patch, applied, suspended
from sweep import sweep


class _Base:
    inherited = 1

    @staticmethod
    def static() -> int:
        return 1

    @property
    def looked_up(self) -> int:
        return 1


class _Child(_Base):
    own = 1


def _module() -> types.ModuleType:
    module = types.ModuleType("somewhere")
    module.there = 1  # type: ignore[attr-defined]
    return module


CASES = {
    "module attribute": (_module(), "there"),
    "new module attribute": (_module(), "not_there"),
    "class attribute": (_Child, "own"),
    "inherited attribute": (_Child, "inherited"),
    "static method": (_Base, "static"),
    "property": (_Base, "looked_up"),
    "instance": (_Child(), "own"),
    "dict": ({"there": 1}, "there"),
    "new key": (sys.modules, "miscast_no_such_module"),
    "tensor property": (torch.Tensor, "device"),
    "tensor method": (torch.Tensor, "cuda"),
    "storage method": (torch.UntypedStorage, "data_ptr"),
    "C module": (torch._C, "_has_cuda"),
    "C module, new": (torch._C, "_cuda_getDeviceCount"),
}


def _entries(owner: Any) -> dict[str, Any]:
    return dict(owner if isinstance(owner, dict) else vars(owner))


@pytest.mark.parametrize("value", [2, ABSENT], ids=["value", "absent"])
@sweep("case", CASES)
def test_in_effect_and_back(case: str, value: object) -> None:
    owner, name = CASES[case]
    before = _entries(owner)
    with applied([Patch(owner, name, value)]):
        assert _entries(owner).get(name, ABSENT) is value
    after = _entries(owner)
    assert after.keys() == before.keys()
    assert all(after[key] is before[key] for key in before)


def test_back_after_an_error_in_the_body() -> None:
    module = _module()
    with pytest.raises(KeyError), applied([Patch(module, "there", 2)]):
        raise KeyError
    assert module.there == 1


def test_back_after_a_patch_that_fails() -> None:
    module = _module()
    with pytest.raises(TypeError), applied([Patch(module, "there", 2), Patch(int, "real", 2)]):
        pytest.fail("the body must not run")
    assert module.there == 1


def test_back_after_an_error_between_patches() -> None:
    module = _module()

    def patches() -> Any:
        yield Patch(module, "there", 2)
        raise KeyError

    with pytest.raises(KeyError), applied(patches()):
        pytest.fail("the body must not run")
    assert module.there == 1


def test_the_same_twice() -> None:
    module = _module()
    with applied([Patch(module, "there", 2), Patch(module, "there", 3)]):
        assert module.there == 3
    assert module.there == 1


def test_back_though_the_body_changed_it() -> None:
    module = _module()
    with applied([Patch(module, "there", 2), Patch(module, "new", 2)]):
        del module.new
        module.there = 4
    assert module.there == 1
    assert not hasattr(module, "new")


def test_suspended_and_in_effect_again() -> None:
    space = {"kept": 1}
    with applied([Patch(space, "kept", 2), Patch(space, "new", 2)]), applied([Patch(space, "kept", 3)]):
        space["new"] = 4  # the program's own
        with suspended():
            assert space == {"kept": 1}
            space["kept"], space["found"] = 5, 6
        assert space == {"kept": 3, "new": 4, "found": 6}
    assert space == {"kept": 5, "found": 6}


def test_what_is_applied_while_others_are_suspended_stays() -> None:
    space = {"one": 1, "two": 1}
    with applied([Patch(space, "one", 2)]):
        with suspended():
            inner = applied([Patch(space, "two", 2)])
            inner.__enter__()
        assert space == {"one": 2, "two": 2}
        inner.__exit__(None, None, None)
    assert space == {"one": 1, "two": 1}


def test_what_is_set_of_an_object_is_not_suspended() -> None:
    acts = []

    class Switch:
        def __setattr__(self, name: str, value: object) -> None:
            self.__dict__[name] = value
            acts.append(value)

    with applied([Patch(Switch(), "on", True)]), suspended():
        pass
    assert acts == [True]
