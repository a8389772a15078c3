"""What a run left is told with what kept it out; what can be forced is run in a fork, and judged as anything else."""

from __future__ import annotations

import ast
import json
import sys
import textwrap
import time
from dataclasses import replace

import pytest

from command import miscast_in
from miscast.cli import main
from miscast.core import machines
from miscast.core.event import BUDGET_SPENT, INTERRUPTED, NO_BUDGET, WAITED, Block
from miscast.report import unreached
from miscast.report.judged import judged
from miscast.running.program.run import run_program
from miscast.vm.reach.branches import told_apart
from miscast.vm.reach.untraced import untraced
from miscast.vm.reach.words import answers_in, kind_of
from sweep import sweep

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="a frame's place is found by its bytecode")

HEAD = """
    import torch

    class Args:
        every, first, extra, fp16 = 50, True, False, False

    args = Args()
    half = torch.nn.Linear(4, 4).cuda().half()

    def work():
        return half(torch.ones(2, 4, device="cuda"))
"""
FAULT = ["error"]
BLOCK = Block(
    file="train.py", first=3, last=5, line=2, condition="step % 50 == 0", kind="counter", does=("work",)
)
OUT_OF_MEMORY = """
def f():
    try:
        return half.eval()
    except RuntimeError as error:
        if "out of memory" not in str(error):
            raise
        return work()
f()"""
LOADER = """
from torch.utils.data import DataLoader
for batch in DataLoader(torch.ones(22), batch_size=4):
    torch.relu(half(torch.ones(2, 4, device="cuda", dtype=torch.float16 if len(batch) == 4 else None)))"""
# a tensor without dimensions does not make the other one float32
SQUEEZED = """
from torch.utils.data import DataLoader
wide = torch.nn.Linear(4, 4).cuda()
for batch in DataLoader(torch.ones(24), batch_size=4):
    wide(half.weight[:1] * batch.cuda().squeeze())"""
EMPTY = """
from torch.utils.data import DataLoader
words = torch.nn.Embedding(9, 4).cuda()
for batch in DataLoader(range(9), batch_size=2, collate_fn=torch.tensor):
    words(batch.cuda())"""
RETURNED = """
def f(x):
    if args.extra:
        x = torch.ones(2, 4).cuda()
    return x
half(f(half.weight))"""
ATTRIBUTE = """
def f():
    if args.extra:
        args.x = torch.ones(2, 4).cuda()
f()
half(getattr(args, "x", half.weight))"""
FORKED = """
import torch.multiprocessing as mp
def f(step):
    if step % args.every == 0:
        half.eval()
        if step == 7:
            work()
f(1)
child = mp.get_context("fork").Process(target=f, args=(50,))
child.start()
child.join()"""
MASKED = """
from torch.utils.data import DataLoader
def sample(n):
    mask = torch.zeros(4, dtype={40: torch.float32}.get(n, torch.float16))
    return {"image": torch.ones(4, dtype=torch.float16), "mask": mask}
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 48
    def __getitem__(self, n):
        return sample(n)
for batch in DataLoader(Data(), batch_size=4, drop_last=True):
    half(batch["mask"].cuda() + batch["image"].cuda())"""
STREAMED = """
from torch.utils.data import DataLoader, IterableDataset
class Data(IterableDataset):
    def __iter__(self):
        return (torch.ones(4, dtype=torch.float32 if n == 40 else torch.float16) for n in range(48))
for batch in DataLoader(Data(), batch_size=4, drop_last=True):
    half(batch.cuda())"""
NO_TARGET = """
from torch.utils.data import DataLoader
words = torch.nn.Embedding(9, 4).cuda()
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 48
    def __getitem__(self, n):
        return torch.tensor([] if n == 40 else [1, 2])
for batch in DataLoader(Data(), batch_size=1):
    words(batch.cuda())"""
# the loader makes no batch of two, which no model here would take
ALONE = """
from torch.utils.data import DataLoader
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 48
    def __getitem__(self, n):
        return torch.zeros(4, dtype=torch.float32 if n == 40 else torch.float16)
for (x,) in map(list, DataLoader(Data(), batch_size=1)):
    half(x.cuda().half())"""
PARTS = """
class Part(torch.nn.Module):
    def __init__(self):
        super().__init__()
        if args.extra:
            self.register_buffer("x", torch.ones(4).cuda())
        else:
            self.register_buffer("x", half.weight[0])
parts = torch.nn.ModuleList(Part() for _ in range(3))
for part in parts:
    half(part.x)"""
ANOTHER_DTYPE = """
full = torch.nn.Linear(4, 4).cuda()
def f(net, x):
    if args.extra:
        x = x.float()
    return net(x)
f(full, full.weight)
f(half, half.weight)"""
ELSEWHERE = """
net = torch.nn.Linear(4, 4).cuda()
if args.first:
    net.half().eval()
else:
    net.eval()
net(half.weight)"""
THERE_BEFORE = """
def f(x):
    try:
        x = half(x.half())
    except ArithmeticError:
        x = half(x)
    return x
f(torch.ones(4).cuda())"""
UNZIPPED = """
class Data(torch.utils.data.Dataset):
    def __len__(self): return 8
    def __getitem__(self, i): return torch.ones(4), i
def collate(rows): return tuple(zip(*rows))
for xs, ys in torch.utils.data.DataLoader(Data(), batch_size=4, collate_fn=collate):
    if len(xs) < 2:
        half(xs[0].cuda())
"""
OWN_NAMES = """
parts = {"x": torch.ones(4).half()}
try:
    parts = {k: v.cuda() for k, v in parts.items()}
except ArithmeticError:
    parts = {k: v for k, v in parts.items()}
half(parts["x"])"""
CARRIED = """
x = half.weight
for step in range(1, 3):
    if step % args.every == 0:
        x = torch.ones(4).cuda()
    else:
        x = half(x)"""
CARRIED_BY_AN_OBJECT = """
def f():
    if args.extra:
        args.x = torch.ones(2, 4).cuda()
    else:
        half(getattr(args, "x", half.weight))
for _ in range(2):
    f()"""
GENERATOR = """
def batches():
    x = half.weight
    if args.extra:
        x = torch.ones(2, 4).cuda()
    while True:
        yield x
for step, x in enumerate(batches()):
    half(x)
    if step == 3:
        break"""
NO_INDEX = """
data = torch.arange(99)
def f(size):
    starts = torch.randint(0, 90, (size,))
    if args.extra:
        starts = starts.float()
    return torch.stack([data[start : start + 8] for start in starts])
f(2)"""
CASES = {
    "every so many steps": ("for step in range(1, 3):\n    if step % args.every == 0:\n        work()", 1, True),
    "at an epoch's end": ("for step in range(3):\n    if step == 7:\n        work()", 1, True),
    "what follows a return": (
        "def f(step):\n    if step < 9:\n        return\n    work()\nf(1)", 1, True
    ),
    "a stand-in decided": (
        "best = 0.0\nloss = torch.ones(3, device='cuda').mean()\nif loss < best:\n    work()", 1, True
    ),
    "a setting that decides this alone": ("if args.extra:\n    work()", 1, True),
    "a setting that decides this in two places": (
        "if args.extra:\n    x = [half.eval()]\nfor _ in (1,):\n    if args.extra:\n        x[0](torch.ones(4).cuda())",
        1, True,
    ),
    "else": ("if args.first:\n    pass\nelse:\n    work()", 1, True),
    "a while that never began": ("count = 5\nwhile count < 3:\n    work()\n    count += 1", 1, True),
    "in a generator that nobody goes on with": (GENERATOR, 1, True),
    "in a generator, and the program exits": (GENERATOR.replace("break", "raise SystemExit"), 1, True),
    "in a generator, and all is well": (GENERATOR.replace("cuda()", "cuda().half()"), 0, True),
    "in a generator, and an error of the program's own ends it": (
        GENERATOR.replace("cuda()", "cuda().half()").replace("break", "1 / (x is half.weight)\n        break"), 0, True
    ),
    "within what was forced": (
        "for step in range(1, 3):\n    if step % args.every == 0:\n        if step > 10:\n            work()", 1, True
    ),
    "a setting that decides more": ("size = 8 if args.extra else 4\nif args.extra:\n    work()", 0, False),
    "a setting of precision": ("if args.fp16:\n    work()", 0, False),
    "what is not there": ("model = None\nif model is not None:\n    work()", 0, False),
    "an error of the program's own": ("model = None\nif args.extra:\n    model(1)\n    work()", 0, False),
    "an error of the program's own in a region": (
        "model = None\nif args.extra:\n    with torch.no_grad():\n        model(1)\n    work()", 0, False
    ),
    "what is reached by itself": ("for step in range(1, 3):\n    if step == 2:\n        work()", 1, None),
    "an error that ends it": ("if args.extra:\n    raise ValueError('no')", 0, None),
    "what it sets is looked at behind it": (
        "def f(x):\n    if args.extra:\n        x = torch.ones(2, 4).cuda()\n    half(x)\nf(half.weight)", 1, True
    ),
    "what it returns is looked at": (RETURNED, 1, True),
    "an attribute that it sets is looked at": (ATTRIBUTE, 1, True),
    "what it sets is looked at in the next pass only": (
        "x = half.weight\nfor step in range(1, 3):\n    half(x)\n    if step == 7:\n        x = torch.ones(4).cuda()",
        1, True,
    ),
    "what it sets is set anew in the next pass": (
        "for step in range(3):\n    x = half.weight\n    half(x)\n    if step == 7:\n        x = torch.ones(4).cuda()",
        0, True,
    ),
    "what it sets in a container is looked at behind it": (
        "parts = {'x': half.weight}\nif args.extra:\n    parts['x'] = torch.ones(4).cuda()\nhalf(parts['x'])", 1, True
    ),
    "what it converts is looked at behind it": ("if args.extra:\n    half.float()\nhalf(half.bias.half())", 1, True),
    "what it adds is looked at behind it": (
        "parts = [half.weight]\nif args.extra:\n    parts.append(torch.ones(4).cuda())\nfor x in parts:\n    half(x)",
        1, True,
    ),
    "what it keeps is looked at behind all parts that an expression makes": (PARTS, 1, True),
    "a dtype that is looked at behind it": (
        "x, kind = half.weight, torch.half\nif args.extra:\n    kind = torch.float\nhalf(x.to(kind))", 1, "quiet"
    ),
    "what is handed on is not told, what it does is": (
        "x, y = half.weight, torch.ones(4).cuda()\nif args.extra:\n    x = y\nhalf(x)\nx = y", 1, "quiet"
    ),
    "what goes well in one dtype, and not in one that is met later": (ANOTHER_DTYPE, 1, True),
    "what goes well in both": (ANOTHER_DTYPE.replace("x.float()", "x.abs()"), 0, True),
    "what is converted on the other way only": (ELSEWHERE, 1, True),
    "what is converted there, and as well without": (ELSEWHERE.replace("net(half", "net(net"), 0, True),
    "a region's end between it and what looks at it": (
        "x = half.weight\nwith torch.no_grad():\n    if args.extra:\n        x = torch.ones(4).cuda()\nhalf(x)", 1, True
    ),
    "what is only in another mode is not": ("if args.extra:\n    half.eval()\nhalf(half.weight)", 0, True),
    "where a child of the program goes by itself": (FORKED, 1, True),
    "an error behind it that is no matter of dtypes": (
        "def f(x):\n    if args.extra:\n        x = torch.ones(3)\n    half(x.cuda().half())\nf(half.weight)", 0, True
    ),
    "a handler": (
        "it = iter([1, 2])\ntry:\n    next(it)\nexcept StopIteration:\n    it = iter([1, 2])\n    work()", 1, True
    ),
    "a handler for any error": ("try:\n    half.eval()\nexcept Exception:\n    work()", 1, True),
    "a handler that looks at what was set": (
        "try:\n    for step in range(2):\n        pass\nexcept KeyboardInterrupt:\n    if step > 0:\n        work()",
        1, True,
    ),
    "a handler that looks at what was there before, too": (THERE_BEFORE, 1, True),
    "a handler that goes through names of its own": (OWN_NAMES, 1, "quiet"),
    "an index that Python asks for": (NO_INDEX, 1, True),
    "an index of several elements": (NO_INDEX.replace(".float()", ".reshape(1, -1)"), 0, True),
    "what the next pass begins with": (CARRIED, 1, True),
    "what the next pass begins with, and sets anew": (CARRIED.replace("half(x)", "half(half.weight)"), 0, True),
    "what a function of the next pass begins with": (CARRIED_BY_AN_OBJECT, 1, True),
    "a handler for want of memory": (OUT_OF_MEMORY, 1, True),
    "a handler that raises": ("try:\n    half.eval()\nexcept ValueError:\n    work()\n    raise", 0, None),
    "a library that is not there": ("try:\n    import json\nexcept ImportError:\n    work()", 0, None),
    "a library that is not there, for any error": ("try:\n    import json\nexcept Exception:\n    work()", 0, None),
    "a case": (
        "args.kind = 'a'\nmatch args.kind:\n    case 'a':\n        pass\n    case 'b' | 'c':\n        work()", 1, True
    ),
    "any other case": ("match 1:\n    case 1:\n        half\n    case _:\n        work()", 1, True),
    "a case of precision": (
        "args.kind = 'no'\nmatch args.kind:\n    case 'no':\n        pass\n    case 'fp16':\n        work()", 0, False
    ),
    "a case of a class": ("match args:\n    case Args():\n        pass\n    case int():\n        work()", 0, False),
    "a conditional expression": (
        "for step in range(1, 3):\n    out = work() if step % args.every == 0 else None", 1, True
    ),
    "a conditional expression over lines": (
        "out = list(\n    work()\n    if args.extra\n    else (1, 2)\n)", 1, True
    ),
    "a conditional expression of precision": ("x = work() if args.fp16 else 1", 0, False),
    "a last, smaller batch": (LOADER, 1, True),
    "a last batch that is dropped": (LOADER.replace("=4)", "=4, drop_last=True)"), 0, None),
    "batches of the program's own": (LOADER.replace("batch_size=4", "batch_sampler=[[0, 1, 2, 3]] * 9"), 0, None),
    "a batch of one": (SQUEEZED, 1, True),
    "an empty batch": (EMPTY, 1, True),
    "an empty batch that no loader makes": (EMPTY.replace(", collate_fn=torch.tensor", ""), 0, True),
    "an empty batch that has no parts": (UNZIPPED, 1, True),
    "samples that differ": (MASKED, 1, True),
    "samples that differ in a stream": (STREAMED, 1, True),
    "a sample of nothing": (NO_TARGET, 1, True),
    "samples that differ and are never together": (ALONE, 0, True),
    "samples that differ, and all were run": (ALONE.replace("48", "2").replace("40", "1"), 0, None),
    "samples that do not": (MASKED.replace("40:", "400:"), 0, None),
    "samples that do not, and what is forced after them": (
        MASKED.replace("40:", "400:") + "\nif args.extra:\n    half.eval()", 0, True
    ),
    "a loop over nothing": ("for x in []:\n    work()", 0, False),
    "what only a start by itself does": ("if __name__ != '__main__':\n    work()", 0, None),
    "a word to a person": ("if args.extra:\n    print('hello')", 0, None),
}  # fmt: skip


def checked(folder, code, *options):
    script = folder / "train.py"
    script.write_text(textwrap.dedent(HEAD) + code + "\n")
    done = miscast_in(folder, "check", "--machine", "v100", "--format", "json", *options, script.name)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", CASES)
def test_what_a_run_left(tmp_path, name):
    code, errors, forced = CASES[name]
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent(HEAD) + code + "\n")
    report = judged(run_program(str(script), (), machines.find("v100"), reach=2.0))
    assert [one.severity for one in report.findings] == FAULT * errors
    assert (report.ended, report.failed) == (None, None)
    told = {True: {True}, False: {False}, "ended": {False}}.get(forced, set())
    assert {one.forced and one.ended is None for one in report.reach} == told
    marked = [place.label for one in report.findings for place in one.related if "explored" in place.label]
    assert marked == ["on a branch explored at"] * (errors if forced else 0)


def test_it_is_on_by_itself_and_can_be_off(tmp_path):
    report = checked(tmp_path, CASES["every so many steps"][0])
    assert [one["severity"] for one in report["findings"]] == FAULT
    report = checked(tmp_path, CASES["every so many steps"][0], "--reach", "0")
    assert report["findings"] == []
    assert "reach" not in report


def test_a_block_is_told_with_its_condition_and_values(tmp_path):
    (block,) = checked(tmp_path, CASES["every so many steps"][0], "--reach", "2")["reach"]
    assert (block["condition"], block["values"]) == (
        "step % args.every == 0", {"step": ["1", "2"], "args.every": ["50"]},
    )  # fmt: skip
    assert (block["does"], block["kind"], block["last"] - block["line"]) == (["work"], "counter", 1)


def test_the_text_says_what_was_forced_and_what_was_not_run(tmp_path):
    script = tmp_path / "train.py"
    code = CASES["every so many steps"][0] + "\nif args.fp16:\n    work()\n"
    script.write_text(textwrap.dedent(HEAD) + code)
    done = miscast_in(tmp_path, "check", "--verbose", "--machine", "v100", "--reach", "2", script.name)
    told = " ".join(done.stdout.split())
    assert "on a branch explored at train.py:13" in told
    assert "explored train.py:14 (work): step % args.every == 0, step was 1, 2, args.every was 50" in told
    assert "not run train.py:16 (work): args.fp16, args.fp16 was False" in told


@pytest.mark.parametrize(
    ("block", "label", "text"),
    [
        (replace(BLOCK, forced=True), "explored", ""),
        (replace(BLOCK, forced=True, ended="KeyError: 'x'"), "partial", "; explored until: KeyError: 'x'"),
        (
            replace(BLOCK, forced=True, ended=BUDGET_SPENT), "partial",
            "; explored until: op budget used up (raise --reach)",
        ),
        (
            replace(BLOCK, why=NO_BUDGET), "not run",
            "; not explored: no op budget left (raise --reach)",
        ),
    ],
)  # fmt: skip
def test_what_came_to_its_end_and_what_did_not_is_told_apart(block, label, text):
    assert list(unreached.lines([block])) == [(label, f"train.py:3-5 (work): step % 50 == 0{text}")]


def test_a_module_is_at_work_untraced_and_who_calls_it_is_not():
    def trace(*_):
        return None

    sys.settrace(trace)
    try:
        inside = untraced(sys.gettrace)()
        outside = sys.gettrace()
    finally:
        sys.settrace(None)
    assert (inside, outside) == (None, trace)


def test_what_a_fork_prints_and_does_to_the_run_is_not_seen(tmp_path):
    loop = "for step in range(1, 3):\n    if step % args.every == 0:\n"
    code = f"seen = []\n{loop}        seen.append(work())\n        print('forced')\nprint(len(seen))"
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent(HEAD) + code)
    done = miscast_in(tmp_path, "check", "--machine", "v100", "--reach", "2", script.name)
    printed = (done.stdout + done.stderr).splitlines()
    assert "forced" not in printed
    assert "0" in printed


@sweep(
    ("test", "kind"),
    [
        ("step % n == 0", "counter"), ("epoch + 1 == epochs", "counter"), ("loss < best", "value"), ("use_ema", "flag"),
        ("mode == 'fp16'", "precision"), ("args.offload", "precision"), ("x is None", "guard"), ("rank == 0", "guard"),
        ("isinstance(x, int)", "guard"), ("torch.cuda.is_available()", "guard"), ("kind == 'v'", "flag"),
        ("mask.any()", "value"), ("torch.isnan(x).any()", "guard"), ("any(x)", "guard"), ("(a == 1).all()", "value"),
        ("os.environ['RANK'] == '2'", "guard"), ("os.name == 'nt'", "guard"),
    ],
)  # fmt: skip
def test_what_a_condition_hangs_on(test, kind):
    assert kind_of(ast.parse(test, mode="eval").body) == kind


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("cuda = torch.cuda.is_available()", {"cuda"}), ("here, many = mps.is_available(), len(x)", {"here"}),
        ("cuda = is_available() and args.cuda", set()), ("ok = a.is_available()\nok = step > 3", set()),
        ("x = [is_available()]", set()), ("a, *b = is_available(), 2", {"a"}),
    ],
)  # fmt: skip
def test_names_that_hold_what_a_guard_has_said(source, names):
    assert answers_in(ast.parse(source)) == names


def test_a_condition_on_what_a_guard_has_said_is_one():
    assert kind_of(ast.parse("not cuda", mode="eval").body, frozenset({"cuda"})) == "guard"


def test_every_node_stays_where_it_is():
    source = "if a and f(b):\n    g(c)\nelif d:\n    h()\nwhile e:\n    k(x if y else z)\n"
    tree = ast.parse(source)
    branches = told_apart(tree, "train.py", 3, [])
    assert [(one.text, one.line, one.kind) for one in branches] == [
        ("a and f(b)", 1, "flag"), ("d", 3, "flag"), ("e", 5, "flag"),
    ]  # fmt: skip
    names = {(node.id, node.lineno, node.col_offset) for node in ast.walk(tree) if isinstance(node, ast.Name)}
    before = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)]
    original = {(node.id, node.lineno, node.col_offset) for node in before}
    assert {one for one in names if not one[0].startswith("__miscast")} == original
    compile(tree, "train.py", "exec")


def test_the_likeliest_is_forced_first_and_what_was_left_out_is_told(tmp_path):
    code = """
import time
try:
    half.eval()
except ValueError:
    work()
if args.extra:
    half.eval()
for epoch in range(2):
    if epoch == 9:
        half.eval()
    for step in range(1, 3):
        if step % args.every == 0:
            half.eval()
            for _ in range(4_000):
                half.weight + 1
"""
    report = checked(tmp_path, code, "--reach", "1.1")
    assert [(one["condition"], one["ended"], one["why"]) for one in report["reach"]] == [
        ("step % args.every == 0", "op budget used up", ""),
        ("except ValueError", None, "no op budget left"),
        ("args.extra", None, "no op budget left"),
        ("epoch == 9", None, "no op budget left"),
    ]


def test_what_waits_for_nothing_is_ended_and_the_others_run(tmp_path):
    code = """
import time
if args.extra:
    half.eval()
    time.sleep(1000)
if not args.first:
    half.eval()
"""
    report = checked(tmp_path, code)
    ended = {one["condition"]: one["ended"] for one in report["reach"]}
    assert ended == {"args.extra": WAITED, "not args.first": None}


def test_the_order_in_which_ways_are_forced():
    source = "if s % 9 == 0: f()\nif epoch > 3: f()\nif loss < 1: f()\nif x: f()\nelse: g()\ntry: f()\nexcept E: g()"
    branches = told_apart(ast.parse(source), "train.py", 0, [])
    orders = [(one.text, way, one.order(taken=way)) for one in branches for way in (True, False) if one.sides[way]]
    assert sorted(orders, key=lambda one: one[-1]) == [
        ("s % 9 == 0", True, 0), ("epoch > 3", True, 1), ("loss < 1", True, 2), ("x", True, 3), ("x", False, 4),
        ("except E", True, 4),
    ]  # fmt: skip


def test_a_handler_a_loop_and_a_case_are_told_by_what_they_say(tmp_path):
    code = """
names, kind = [], "a"
for name in names:
    work()
match kind:
    case "a":
        for x in "ab":
            pass
    case "b":
        work()
try:
    half.eval()
except ValueError:
    for step in range(1, 3):
        work()
"""
    report = checked(tmp_path, code, "--reach", "1")
    told = {one["condition"]: (one["kind"], one["values"], one["does"]) for one in report["reach"]}
    assert told == {
        "for name in names": ("empty", {"names": ["[]"]}, ["work"]),
        "match kind: case 'b'": ("flag", {"kind": ["'a'"]}, ["work"]),
        "except ValueError": ("error", {}, ["work"]),
    }


def test_a_function_of_a_module_is_told_of_as_a_script_is(tmp_path):
    code = f"{CASES['every so many steps'][0]}"
    (tmp_path / "mine.py").write_text(textwrap.dedent(HEAD) + "def main():\n" + textwrap.indent(code, "    "))
    done = miscast_in(tmp_path, "check", "--machine", "v100", "--format", "json", "--reach", "2", "mine:main")
    report = json.loads(done.stdout)
    assert len(report["findings"]) == 1
    assert [(one["condition"], one["forced"]) for one in report["reach"]] == [("step % args.every == 0", True)]


def test_what_is_called_in_a_block_is_the_programs_own(tmp_path):
    code = "if args.extra:\n    for step in range(1, 3):\n        if step % args.every == 0:\n            work()"
    (block,) = checked(tmp_path, code, "--reach", "1")["reach"]
    assert block["does"] == ["work"]


def test_a_block_may_import_more_of_the_programs_own(tmp_path):
    (tmp_path / "more.py").write_text("def f(work, fp16):\n    work()\n    if fp16:\n        work()\n")
    code = "for step in range(1, 3):\n    if step % args.every == 0:\n        import more\n        more.f(work, False)"
    report = checked(tmp_path, code, "--reach", "2")
    assert report["failed"] is None
    assert len(report["findings"]) == 1
    assert [(one["line"], one["forced"]) for one in report["reach"]] == [(13, True)]


def test_garbage_that_was_there_when_a_fork_was_made_is_found_where_the_program_looks_for_it(tmp_path):
    code = """
import gc
import weakref
args.itself = args
kept = weakref.ref(args)
if args.extra:
    work()
del args
gc.collect()
print("kept" if kept() else "gone")
"""
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent(HEAD) + code)
    done = miscast_in(tmp_path, "check", "--machine", "v100", "--reach", "2", script.name)
    assert "gone" in (done.stdout + done.stderr).splitlines()


def test_a_child_of_the_program_keeps_no_fork_waiting(tmp_path):
    code = """
import os, time
for step in range(1, 3):
    if step % 2 == 0:
        work()
    if step == 1 and os.fork() == 0:
        time.sleep(160)
        os._exit(0)
"""
    report = checked(tmp_path, code, "--reach", "2", "--time-limit", "120")
    assert "time" not in (report["ended"] or "")
    assert len(report["findings"]) == 1


@pytest.mark.parametrize("options", [("--network",), ("--writes", "real")])
def test_where_it_can_tell_nothing_or_do_harm_it_is_refused(tmp_path, monkeypatch, capsys, options):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.py").write_text("", encoding="utf-8")
    assert main(["check", "--machine", "v100", "--reach", "2", *options, "program.py"]) == 2
    assert options[0] in capsys.readouterr().err


@pytest.mark.parametrize(("samples", "errors"), [(41, 1), (40, 0), (0, 0)])
def test_how_many_samples_are_looked_at(tmp_path, samples, errors):
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent(HEAD) + MASKED)
    report = judged(run_program(str(script), (), machines.find("v100"), reach=2.0, samples=samples))
    assert [one.severity for one in report.findings] == FAULT * errors


def test_of_several_ranks_the_first_goes_the_ways_that_it_left_alone(tmp_path):
    code = """
import torch.distributed as dist
dist.init_process_group("nccl")
rank = dist.get_rank()
torch.cuda.set_device(rank)
half.to(f"cuda:{rank}")
x = torch.ones(2, 4, device=f"cuda:{rank}")
for step in range(1, 3):
    dist.all_reduce(x)
    if step % args.every == 0:
        dist.all_reduce(x)
        parts = [None, None]
        dist.all_gather_object(parts, step)
        half(x)
dist.barrier()
"""
    report = checked(tmp_path, code, "--ranks", "2", "--machine", "2xv100")
    assert (report["ended"], report.get("failed")) == (None, None)
    assert [(one["rule"], one["ranks"]) for one in report["findings"]] == [("operand-dtype-mismatch", [0])]
    assert [(one["forced"], one["ended"]) for one in report["reach"]] == [(True, None)]


def test_what_a_launcher_starts_is_told_of_as_a_program_is(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent(HEAD) + CASES["every so many steps"][0])
    command = ("check", "--machine", "v100", "--format", "json", "torchrun", script.name)
    report = json.loads(miscast_in(tmp_path, *command).stdout)
    assert [one["severity"] for one in report["findings"]] == FAULT
    assert [(one["condition"], one["forced"]) for one in report["reach"]] == [("step % args.every == 0", True)]


def test_what_really_writes_goes_no_way_by_force(tmp_path):
    code = "if args.extra:\n    torch.save(half.weight, 'forced.pt')\n"
    report = checked(tmp_path, code, "--writes", "real")
    assert "reach" not in report
    assert "skipped branches were not explored" in str(report["notes"])
    assert not (tmp_path / "forced.pt").exists()


def test_an_interrupt_ends_what_is_forced_and_not_the_report(tmp_path):
    wait = "import os, time\nif args.extra:\n    half.eval()\n    os.kill(os.getppid(), 2)\n    time.sleep(100)\n"
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent(HEAD) + wait + "if not args.first:\n    work()\n")
    report = judged(run_program(str(script), (), machines.find("v100"), reach=100.0))
    assert (report.ended, report.failed) == (None, None)
    assert [(one.condition, one.ended, one.why) for one in report.reach] == [
        ("args.extra", INTERRUPTED, ""), ("not args.first", None, INTERRUPTED),
    ]  # fmt: skip


def test_a_fork_of_a_run_that_has_computed_with_several_threads_does_not_wait_for_them(tmp_path):
    code = """
torch.set_num_threads(2)
parts = torch.nested.nested_tensor([torch.zeros(1 << 20)])  # is real, and large enough for two threads
parts.cos()
if args.extra:
    parts.cos()
    work()
"""
    report = checked(tmp_path, code, "--reach", "9")
    assert [(one["forced"], one["ended"]) for one in report["reach"]] == [(True, None)]
    assert [one["severity"] for one in report["findings"]] == FAULT


def test_the_time_limit_is_kept(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent(HEAD) + "if args.extra:\n    work()\n")
    report = judged(run_program(str(script), (), machines.find("v100"), reach=2.0, end=time.monotonic()))
    assert [(one.forced, one.why) for one in report.reach] == [(False, "no time left")]


def test_a_notebook_is_told_of_as_a_script_is(tmp_path):
    await_ = "import asyncio\nawait asyncio.sleep(0)\n!pip list\n"
    cells = [textwrap.dedent(HEAD), await_ + CASES["every so many steps"][0], "if args.extra:\n    work()"]
    book = {"cells": [{"cell_type": "code", "source": cell} for cell in cells], "metadata": {}}
    path = tmp_path / "train.ipynb"
    path.write_text(json.dumps(book))
    report = judged(run_program(str(path), (), machines.find("v100"), reach=2.0))
    assert (report.ended, report.failed) == (None, None)
    assert [(one.file[-3:], one.line, one.forced, one.ended) for one in report.reach] == [
        ("[2]", 5, True, None), ("[3]", 1, True, None),
    ]  # fmt: skip
    assert [one.severity for one in report.findings] == ["error"]
