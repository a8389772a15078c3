"""Of a module in a Python list, which no `.to()` reaches, the line that put it there is told."""

from __future__ import annotations

import textwrap

import pytest

from miscast.api import check_program

HEAD = """\
import torch
from torch import nn
class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 4, 2)
    def forward(self, x):
        return self.patch(x)
"""
USE = """
model = Model(Tower()).to("cuda")
model(torch.ones(1, 3, 4, 4, device="cuda"))
"""


def told(tmp_path, body):
    script = tmp_path / "train.py"
    script.write_text(HEAD + textwrap.dedent(body) + USE, encoding="utf-8")
    (cause,) = check_program(str(script), machine="v100").causes
    return cause, [related.location.code for related in cause.related if related.label == "defined at"]


@pytest.mark.parametrize(
    ("keeps", "reads"),
    [
        ("self.towers = [tower]", "self.towers[0]"),
        ("self.towers = (tower,)", "self.towers[0]"),
        ('self.towers = {"image": tower}', 'self.towers["image"]'),
    ],
)
def test_the_line_that_hid_a_module_is_told(keeps, reads, tmp_path):
    cause, lines = told(
        tmp_path,
        f"""
        class Model(nn.Module):
            def __init__(self, tower):
                super().__init__()
                if tower is not None:
                    {keeps}
                else:
                    self.towers = None
            def forward(self, x):
                tower = {reads}
                return tower(x)
        """,
    )
    assert keeps in lines
    assert cause.fixes[0].title.startswith("replace `")
    assert cause.fixes[0].title.endswith(" at train.py:14")


def test_a_registered_module_is_not(tmp_path):
    cause, _ = told(
        tmp_path,
        """
        class Model(nn.Module):
            def __init__(self, tower):
                super().__init__()
                self.towers = nn.ModuleList([tower])
            def forward(self, x):
                tower = self.towers[0].cpu()
                return tower(x)
        """,
    )
    assert not cause.fixes[0].title.startswith("replace")


def test_a_tensor_that_is_no_buffer_is_to_be_registered(tmp_path):
    cause, _ = told(
        tmp_path,
        """
        def positions(count):
            return torch.arange(count) / count
        class Model(nn.Module):
            def __init__(self, tower):
                super().__init__()
                self.tower = tower
                self.places = positions(3)
            def forward(self, x):
                return self.tower(x)[..., 0] + self.places
        """,
    )
    assert [fix.title for fix in cause.fixes] == [
        ('replace `self.places = positions(3)` with '
        '`self.register_buffer("places", positions(3), persistent=False)` at train.py:16'),
        'move `self.places` at train.py:18: .to("cuda")',
    ]
