"""Modules whose parameters are in a mapping that moves what is read, as compressed-tensors puts one there."""

from __future__ import annotations

from collections.abc import MutableMapping

import torch

import miscast


class Onloading(MutableMapping):
    def __init__(self, values, device):
        self.values_there, self.device = dict(values), device

    def __getitem__(self, name):
        return self.values_there[name].to(self.device)

    def __setitem__(self, name, value):
        self.values_there[name] = value

    def __delitem__(self, name):
        del self.values_there[name]

    def __iter__(self):
        return iter(self.values_there)

    def __len__(self):
        return len(self.values_there)


def test_a_finding_reads_the_parameters_without_moving_them():
    def program():
        model = torch.nn.Linear(8, 4).cuda()
        model._parameters = Onloading(model._parameters, "cuda")
        return model(torch.randn(2, 8, device="cuda", dtype=torch.float16))

    report = miscast.check(program, machine="h100")
    assert (report.failed, report.ended) == (None, None)
    assert [(one.rule, one.op) for one in report.findings] == [("operand-dtype-mismatch", "linear")]
