"""What the shadow carries: views, in-place ops, lists, casts, dropped elements; and what it leaves as it is."""

from __future__ import annotations

import copy
import gc
import threading

import pytest
import torch
from torch import nn

import miscast
from miscast.numbers.values import mode, record
from miscast.numbers.values.session import Session
from miscast.report.rule_page import of_losses, page
from shadowed import plain, same_bits, shadowed, tensors, told
from sweep import sweep


def exact(tensor):
    return record.shadow(tensor)


def test_an_op_is_computed_in_float64_beside():
    with Session().on():
        third = torch.ones(3, dtype=torch.bfloat16) / 3
    assert third.dtype == torch.bfloat16
    assert torch.equal(exact(third), torch.full((3,), 1 / 3, dtype=torch.float64))


def test_exact_numbers_keep_no_second_copy():
    with Session().on():
        ones = torch.ones(4) + torch.ones(4)
    assert record.find(ones) is None or record.find(ones).wide is None


def test_views_share_the_shadow_and_see_what_is_written():
    with Session().on():
        rows = torch.ones(2, 3, dtype=torch.float16) / 3
        rows[1].add_(1e-5)
        turned = rows.t().contiguous()
    assert torch.allclose(exact(rows)[1], torch.full((3,), 1 / 3 + 1e-5, dtype=torch.float64), rtol=1e-12)
    assert torch.allclose(exact(turned)[:, 0], torch.full((3,), 1 / 3, dtype=torch.float64), rtol=1e-12)


def test_a_shadow_that_fails_says_so(monkeypatch):
    def fails(_):
        raise KeyError("x")

    monkeypatch.setattr(mode.Beside, "after", fails)
    session = Session()
    with session.on():
        for _ in range(200):
            torch.ones(3, dtype=torch.bfloat16) / 3
    report = session.report()
    assert report.failed.startswith("the shadow itself failed ")
    assert sum(session.shadow.failed.values()) >= 200
    assert "\n  failed  the shadow itself failed 400 times in 400 ops" in str(report)
    assert Session().report().failed is None


@pytest.mark.parametrize("region", [torch.no_grad, torch.inference_mode])
def test_what_an_op_is_made_of_is_seen_in_inference_mode_too(region):
    torch.manual_seed(0)
    logits = torch.randn(20, 30_000).bfloat16()
    session = Session()
    with session.on(), region():
        logits.log_softmax(-1)
    assert [one.rule for one in session.findings()] == ["loss-rounds"]
    assert not session.shadow.unknown


def test_a_cast_of_one_row_has_the_shadow_of_that_row():
    with Session().on():
        rows = (torch.arange(1.0, 7).reshape(3, 2) / 3).half()
        (*_, last) = (row.float() for row in rows)
    assert torch.allclose(exact(last), torch.tensor([5, 6], dtype=torch.float64) / 3, rtol=1e-6)


def test_a_cast_that_is_changed_leaves_the_shadow_of_its_source():
    with Session().on():
        half = (torch.ones(4) / 3).half()
        half.float().zero_().add_(half, alpha=3)
    assert torch.allclose(exact(half), torch.full((4,), 1 / 3, dtype=torch.float64), rtol=1e-6)


def test_a_cast_keeps_the_exact_numbers():
    with Session().on():
        wide = torch.full((2,), 0.1, dtype=torch.float64)
        back = wide.bfloat16().float()
    assert torch.equal(exact(back), wide)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: torch.empty_like(one).set_(one.clone())])
def test_a_tensor_that_is_given_other_memory_has_the_numbers_in_it(copied):
    with Session().on() as session:
        third = torch.ones(3) / 3
        same = copied(third)
        same.mul_(0.5)
    assert not session.shadow.failed
    assert torch.allclose(exact(same), torch.full((3,), 1 / 6, dtype=torch.float64), rtol=1e-6)


def test_lists_of_tensors_are_followed():
    with Session().on():
        weights = [torch.ones(2, dtype=torch.bfloat16), torch.ones(3, dtype=torch.bfloat16)]
        torch._foreach_add_(weights, 1e-3)
    assert [float(exact(one)[0]) for one in weights] == [1.001, 1.001]
    assert [float(one[0]) for one in weights] == [1.0, 1.0]


def test_what_was_drawn_at_random_is_the_truth():
    with Session().on():
        torch.manual_seed(3)
        noise = torch.randn(4).half()
        kept = torch.nn.functional.dropout(noise, 0.5)
    torch.manual_seed(3)
    same = torch.randn(4).half()
    assert torch.equal(noise, same)
    assert torch.equal(kept, torch.nn.functional.dropout(same, 0.5))


def test_gradients_have_a_shadow():
    with Session().on():
        weight = torch.full((3,), 0.3, requires_grad=True)
        (weight.bfloat16() ** 3).sum().backward()
    assert torch.allclose(exact(weight.grad), torch.full((3,), 0.27, dtype=torch.float64), rtol=1e-6)
    assert not torch.allclose(weight.grad.double(), exact(weight.grad), rtol=1e-4)


def test_what_is_chosen_is_the_real_runs_choice():
    with Session().on():
        scores = torch.tensor([1.0, 1.0, 1.0]) / 3
        halves = scores.bfloat16() * torch.tensor([1.001, 1.002, 1.003])
        best = halves.bfloat16().topk(1)
    assert torch.equal(exact(best.values), exact(halves)[best.indices])


def test_another_thread_is_not_followed():
    made = []
    with Session().on():
        thread = threading.Thread(target=lambda: made.append(torch.ones(2, dtype=torch.bfloat16) / 3))
        thread.start()
        thread.join()
    assert record.find(made[0]) is None


def test_the_shadow_ends_with_the_tensor():
    with Session().on() as session:
        for _ in range(3):
            one = torch.ones(1000) / 3
        kept = record.find(one).wide
    del one
    gc.collect()
    assert kept.numel() == 1000
    assert session.shadow.ops > 0


def test_subclasses_and_sparse_tensors_pass_by():
    source = """
        import torch
        class Mine(torch.Tensor):
            pass
        mine = torch.ones(3).as_subclass(Mine) / 3
        sparse = torch.eye(3).to_sparse() * 0.1
        dense = sparse.to_dense()
        nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged) * 0.3
    """
    session, variables = shadowed(source)
    assert torch.equal(variables["dense"], torch.eye(3) * 0.1)
    assert not session.shadow.failed


def test_a_training_step_under_autocast_with_a_scaler_is_the_same_bits():
    source = """
        import torch
        from torch import nn
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(16, 32), nn.BatchNorm1d(32), nn.Dropout(0.3), nn.GELU(), nn.Linear(32, 4))
        optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2, foreach=True)
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12)
        for _ in range(4):
            optimizer.zero_grad()
            with torch.autocast("cpu", torch.float16):
                output = net(torch.randn(8, 16))
                loss = nn.functional.cross_entropy(output, torch.randint(0, 4, (8,)))
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
        net.eval()
        attention = nn.MultiheadAttention(16, 4, batch_first=True)
        seen, _ = attention(*[torch.randn(2, 5, 16)] * 3)
        recurrent, _ = nn.LSTM(16, 8, batch_first=True)(torch.randn(2, 5, 16))
        order = torch.randn(50).bfloat16().sort(descending=True)
        drawn = torch.multinomial(torch.softmax(torch.randn(5, 10), -1), 2)
    """
    alone, (session, beside) = tensors(plain(source)), shadowed(source)
    beside = tensors(beside)
    assert len(alone) > 20
    assert [name for name, one in alone.items() if not same_bits(one, beside[name])] == []
    assert not session.findings()


def test_from_python():
    def average():
        total = torch.zeros((), dtype=torch.bfloat16)
        for _ in range(600):
            total += torch.full((), 1.1, dtype=torch.bfloat16)
        return total / 600

    report = miscast.shadow(average)
    assert [found.rule for found in report] == ["sum-stalls"]
    assert report.findings[0].location.code == "total += torch.full((), 1.1, dtype=torch.bfloat16)"
    assert "a sum in bfloat16 loses added terms" in str(report)


def test_what_the_function_raises_comes_through():
    def fails():
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        miscast.shadow(fails)


def test_hooks_are_gone_afterwards():
    with Session().on():
        pass
    plain_init = torch.optim.Optimizer.__init__
    assert plain_init.__module__.startswith("torch")
    assert not nn.modules.module._global_forward_hooks
    assert not nn.modules.module._global_forward_pre_hooks


def test_a_loss_in_a_library_is_a_hint(tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "rotary"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(
        "import torch\n\n\ndef table(n, dtype):\n    angle = torch.arange(n, dtype=torch.float32).to(dtype) * 0.3\n"
        "    return angle.cos()\n"
    )
    (tmp_path / "site-packages" / "rotary-1.0.dist-info").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path / "site-packages"))
    monkeypatch.setattr("sys.path", ["", *__import__("sys").path])
    session, _ = shadowed("import torch, rotary\ntable = rotary.table(4000, torch.bfloat16)\n")
    assert {found.severity for found in session.findings()} == {"hint"}


MUST_NOT = {
    "a mask that overflows": "import torch\nmask = (1 - torch.tensor([1.0, 0.0]).half()) * -1e9\n",
    "the lowest number twice": "import torch\nlow = torch.full((3,), -65504.0).half()\nboth = low + low\n",
    "a mask under scores": (
        "import torch\ntorch.manual_seed(0)\nscores = torch.randn(6)\nscores[2:4] += -1e5\nhalf = scores.half()\n"
    ),
    "two masks of finfo.min": (
        "import torch\ntorch.manual_seed(0)\nlow = torch.tensor([0.0, torch.finfo(torch.float16).min]).half()\n"
        "scores = torch.randn(2).half() * 40 + low + low\n"
    ),
    "a tail": "import torch\nshares = (torch.arange(50).half() * -2).softmax(0)\n",
    "one addition that is absorbed": "import torch\nx = torch.ones(4).bfloat16()\ny = x + 1e-4\n",
    "a residual stream": (
        "import torch\ntorch.manual_seed(0)\nx = torch.randn(64).bfloat16()\n"
        "for _ in range(40):\n    x = x + torch.randn(64).bfloat16() * 0.1\n"
    ),
    "the difference of an output and its target": (
        "import torch\ntorch.manual_seed(0)\ntarget = torch.randn(64)\n"
        "output = (target.bfloat16() * 3 / 3).float()\nerror = output - target\n"
    ),
    "a mean of both signs": "import torch\ntorch.manual_seed(0)\nmean = torch.randn(1000).bfloat16().mean()\n",
    "float8 is meant": "import torch\nx = torch.randn(100).to(torch.float8_e4m3fn).float()\n",
    "labels cut off": "import torch\ntorch.manual_seed(0)\nlabels = (torch.rand(100) * 4).to(torch.uint8)\n",
    "int64 wraps": "import torch\nx = torch.tensor([2**62]) * 4\n",
    "an infinity that was there": "import torch\nx = torch.tensor([float('inf'), 1.0]).half() * 2\n",
}


OVERFLOWS = {
    "negative numbers alone, in a small tensor": "import torch\nx = -(torch.tensor([310.0, 402.0]).half()) * 270\n",
    "costs that are cast": "import torch\ncosts = torch.tensor([-71234.0, -3.5, -91827.0, 4.0]).half()\n",
    "a sum of two negative ones": "import torch\nx = torch.tensor([-41216.0, -50720.0]).half()\ny = x + x * 0.9\n",
}


@pytest.mark.parametrize("case", OVERFLOWS)
def test_what_overflows_below_is_told_in_a_small_tensor(case):
    session, _ = shadowed(OVERFLOWS[case])
    assert [rule for rule, _ in told(session)] == ["number-overflows"]


@sweep("case", MUST_NOT)
def test_silence(case):
    session, _ = shadowed(MUST_NOT[case])
    assert told(session) == []


def test_each_rule_says_what_and_why():
    for rule in map(page, of_losses()):
        assert rule.summary.endswith(".")
        assert "## What it does" in rule.text
        assert "## Use instead" in rule.text


def test_attention_without_dropout_draws_nothing_and_keeps_the_shadow():
    query = torch.rand(1, 1, 4, 8)
    with Session().on():
        third = query.bfloat16() / 3
        out = torch.nn.functional.scaled_dot_product_attention(third, third, third)
    exactly = query.double() / 3
    right = torch.nn.functional.scaled_dot_product_attention(exactly, exactly, exactly)
    assert torch.allclose(exact(out), right, rtol=1e-12)


def test_a_scaled_loss_is_told_as_it_was_before():
    with Session().on() as session:
        weight = torch.full((2,), 0.3, requires_grad=True)
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        loss = (weight.bfloat16() * 3).sum()
        scaler.scale(loss).backward()
    assert session.final.value == loss.item()
    assert session.final.exact == pytest.approx(1.8, rel=1e-6)
