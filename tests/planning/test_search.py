"""The search picks what is cheapest, holds both budgets, and keeps all that it tried."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import pytest

from miscast.core.machines import find
from miscast.planning.fitting.candidate import Candidate
from miscast.planning.language import TRAINERS
from miscast.planning.linted import linted
from miscast.planning.moves import CHECKPOINTING, Move, moves
from miscast.planning.picture import front, picture
from miscast.planning.point import UNLIMITED, Budget, Point
from miscast.planning.saving import Shown
from miscast.planning.search import Search
from miscast.planning.section import Plan
from miscast.planning.spelled import spelled
from miscast.report import Report, renderer
from miscast.report.page import plain

GIB = 1 << 30
COMPONENTS = (
    {"name": "unet", "trained": True, "checkpoints": "can"},
    {"name": "vae", "trained": False, "checkpoints": "can"},
)


def point(title, peak, seconds, error=None, out=""):
    component, _, precision = title.partition(" ")
    candidate = Candidate(precisions={component: precision} if precision else {})
    return Point(
        candidate=candidate, peak=int(peak * GIB), forecast={"seconds": seconds}, error=error, out=out
    )


class Measured:
    """Stands for runs: what each candidate holds, takes and errs is a sum over its components."""

    SAVES: ClassVar = {
        "unet bf16-mixed": (1, 0.5, 1e-3),
        "unet bf16-true": (6, 0.6, 1e-1),
        "vae bf16-true": (3, 0.1, 5e-3),
    }

    def __init__(self, *, known=True, faulty=()):
        self.points, self.components, self.end = {}, COMPONENTS, None
        self._known, self._faulty = known, faulty

    def shown(self, _point):
        return Shown(components=self.components, optimizers=["AdamW"], share=0.4, installed=())

    def on(self):
        from contextlib import nullcontext

        return nullcontext()

    def as_it_is(self):
        return self.tried([Candidate(as_it_is=True)])[0]

    def tried(self, candidates):
        for one in candidates:
            self.points.setdefault(one.key, self._run(one))
        return [self.points[one.key] for one in candidates]

    def _run(self, one):
        costs = [self.SAVES[f"{k} {v}"] for k, v in one.precisions.items() if v != "32-true"]
        peak = 20 - sum(c[0] for c in costs) - 8 * one.checkpointing - 2 * bool(one.host)
        seconds = 2 - sum(c[1] for c in costs) + 0.4 * one.checkpointing + bool(one.host)
        peak, seconds = peak / one.ranks, seconds + 0.1 * (one.ranks > 1)
        return Point(
            candidate=one, peak=int(peak * GIB), forecast={"seconds": seconds},
            error=max((c[2] for c in costs), default=0.0) if self._known else None,
        )  # fmt: skip

    def proof(self, chosen, _base):
        return next((why for title, why in self._faulty if title in chosen.title), "")


def searched(memory, error=1e-2, **options):
    search = Search(
        trying=Measured(**options), budget=Budget(memory=int(memory * GIB), error=error), machine=find("a100")
    )
    search.run()
    return search


def test_the_fastest_that_holds_both_budgets_is_chosen():
    search = searched(17)
    assert search.chosen.candidate.precisions == {"unet": "bf16-mixed", "vae": "bf16-true"}
    assert not search.chosen.candidate.checkpointing
    assert search.proven


def test_where_memory_is_short_activations_are_computed_anew():
    search = searched(9)
    assert search.chosen.candidate.checkpointing
    assert search.chosen.peak <= 9 * GIB


def test_an_error_that_is_too_large_rules_out():
    assert searched(17, 1e-4).chosen.candidate.checkpointing
    assert all(v == "32-true" for v in searched(17, 1e-4).chosen.candidate.precisions.values())


def test_without_known_errors_no_more_is_risked_than_must_be():
    assert searched(20, known=False).chosen.title == "float32"
    assert "bf16-true" not in searched(18.5, known=False).chosen.title.partition("unet ")[2]


def test_nothing_fits_and_the_nearest_is_known():
    search = searched(2)
    assert search.chosen is None
    able = [one for one in search.trying.points.values() if search.budget.right(one)]
    assert search.nearest.peak == min(one.peak for one in able)


def test_what_the_last_check_finds_rules_a_plan_out():
    search = searched(17, faulty=[("vae", "the vae overflows")])
    assert "vae" not in search.chosen.title
    assert any(one.out == "the vae overflows" for one in search.trying.points.values())


def test_an_interrupt_leaves_what_was_tried():
    trying = Measured()
    measured = trying.tried

    def tried(candidates):
        if len(trying.points) > 1:
            raise KeyboardInterrupt
        return measured(candidates)

    trying.tried = tried
    search = Search(trying=trying, budget=Budget(memory=GIB, error=1.0), machine=find("a100"))
    search.run()
    assert search.stopped == "interrupted"
    assert len(trying.points) == 2


def test_what_is_kept_on_the_host_is_tried_where_nothing_else_fits():
    search = searched(6.5, error=1e-3)
    assert search.chosen is None or search.chosen.candidate.host
    assert not any(one.candidate.host for one in searched(17).trying.points.values())


def test_ranks_are_tried_where_they_are_asked_for():
    assert {one.candidate.ranks for one in searched(17).trying.points.values()} == {1}
    search = Search(
        trying=Measured(), budget=Budget(memory=5 * GIB, error=1e-2), machine=find("a100"), ranks=4
    )
    search.run()
    assert search.chosen.candidate.ranks == 4


def test_the_front_has_what_no_other_beats():
    able = [point("a x", 4, 1.0, 0.0), point("b x", 2, 2.0, 0.0), point("c x", 4, 2.0, 0.0), point("d x", 1, 1.0, 0.5)]
    out = point("e x", 0.5, 0.1, 0.0, out="overflows")
    assert [one.title for one in front([*able, out])] == ["d x", "b x", "a x"]


def drawn(points, chosen=None, memory=3):
    return picture(points, chosen, Budget(memory=memory * GIB, error=1.0), lambda n: f"{n >> 30} GiB", str)


def test_the_picture_has_what_ran_and_names_the_front():
    points = [
        point("a x", 4, 1.0, 1e-4), point("b x", 2, 2.0, 1e-2), point("c x", 4, 2.0, 1e-3),
        point("d x", 1, 1.0, 1e-3, out="overflows"), point("e x", 0, 0.0, out="it did not run"),
    ]  # fmt: skip
    dots = drawn(points, points[0]).dots
    assert {one.told for one in dots} == {
        "a x: 4 GiB, 1.0, error 1.0e-04", "b x: 2 GiB, 2.0, error 1.0e-02", "c x: 4 GiB, 2.0, error 1.0e-03",
        "d x: 1 GiB, 1.0, error 1.0e-03, rejected",
    }  # fmt: skip
    assert [(one.name, one.tone) for one in dots if one.name] == [("b x", ""), ("a x", "good")]
    assert {one.tone for one in dots if not one.name} == {"dim", "bad"}
    sizes = {one.told[0]: one.size for one in dots}
    assert sizes["a"] < sizes["c"] < sizes["b"]
    assert all(0 <= v <= 1 for one in dots for v in (one.x, one.y, one.size))


def test_there_is_no_picture_of_nothing_and_no_limit_beyond_it():
    assert drawn([point("a x", 4, 1.0)]) is None
    points = [point("a x", 4, 1.0), point("b x", 2, 2.0)]
    assert drawn([replace(one, forecast=None) for one in points]) is None
    assert drawn(points).limit == (0.75, "budget: 3 GiB")
    assert drawn(points, memory=5).limit is None


def test_the_page_draws_it_and_takes_hostile_names_as_text():
    able = [point("</title><script>x y", 4, 1.0), point("b x", 2, 2.0)]
    plan = Plan(
        machine="a100", capacity=40 * GIB, budget=Budget(memory=3 * GIB, error=1.0), measured=False,
        components=(), points=able, chosen=None, nearest=None, rates="",
    )  # fmt: skip
    page = renderer("html")(Report(command="plan", machine="a100", torch="", sections=(plan,), notes=(), ops=1))
    assert page.count('class="dot plain"') == 2
    assert 'class="limit"' in page
    assert "<script>x" not in page
    assert "no candidate finished its run" in page


def test_a_machine_of_unknown_memory_has_no_budget():
    plan = Plan(
        machine="cpu", capacity=0, budget=Budget(memory=UNLIMITED, error=1.0), measured=False, components=(),
        points=[], chosen=None, nearest=None, rates="",
    )  # fmt: skip
    assert "cpu: budget unlimited\n" in plain(plan.lines(100))


def test_moves_are_what_the_machine_multiplies_in():
    assert set(moves(COMPONENTS, find("a100"), {})) == {
        Move("unet", "bf16-mixed"), Move("unet", "bf16-true"), Move("vae", "bf16-true"), CHECKPOINTING,
    }  # fmt: skip
    assert {one.precision for one in moves(COMPONENTS, find("t4"), {"unet": "32-true"})} == {"16-true", ""}


def test_the_settings_of_trainers_say_the_plan_or_what_they_cannot_say():
    plan = Candidate(precisions={"unet": "bf16-mixed", "vae": "32-true"}, checkpointing=True)
    said = spelled(plan, COMPONENTS)
    assert said["accelerate"].settings == {"mixed_precision": "bf16"}
    assert any(one.startswith("vae") for one in said["accelerate"].lost)
    assert said["transformers"].settings["gradient_checkpointing"] is True
    assert said["onetrainer"].settings == {
        "train_dtype": "BFLOAT_16", "unet.weight_dtype": "FLOAT_32", "vae.weight_dtype": "FLOAT_32",
        "gradient_checkpointing": "ON",
    }  # fmt: skip
    assert said["simpletuner"].settings["vae_dtype"] == "fp32"
    assert said["sd-scripts"].settings["no_half_vae"] is True


FILES = {"accelerate", "deepspeed", "lightning", "onetrainer", "sd-scripts", "simpletuner", "transformers"}


def test_lint_reads_the_settings_that_are_files():
    plan = Candidate(precisions={"unet": "bf16-mixed", "vae": "32-true"}, checkpointing=True)
    read = linted(plan, COMPONENTS, "a100")
    assert {name for name, one in read.items() if one.written} == FILES
    assert read.keys() == spelled(plan, COMPONENTS).keys()
    assert not [one.findings for one in read.values() if one.findings]
    # no tensor core of a T4 takes bfloat16
    assert [name for name, one in linted(plan, COMPONENTS, "t4").items() if one.findings]


LANGUAGE = [
    {"name": "model", "kind": "LlamaForCausalLM", "trained": True, "checkpoints": "can", "numbers": 8, "updated": 8}
]
FLOAT32 = "model computes in float32 instead of bfloat16"
ALSO = "model also runs under autocast"
RAISED = "model is stored in bfloat16 and float32 instead of "


@pytest.mark.parametrize(
    ("precision", "otherwise"),
    [
        ("32-true", {}),
        ("bf16-mixed", {"torchtune": [FLOAT32], "axolotl": [f"{RAISED}float32"]}),
        ("bf16-true", {"torchtitan": [ALSO], "axolotl": [f"{RAISED}bfloat16", ALSO]}),
        ("16-mixed", {name: ["model: no setting for 16-mixed"] for name in ("torchtune", "torchtitan", "axolotl")}),
        ("16-true", {
            **{name: ["model: no setting for 16-true"] for name in ("torchtune", "torchtitan", "llamafactory")},
            "axolotl": [
                "a loss scaler: float16 weights are trained without one",
                "model is stored in float16 and float32 instead of float16",
            ],
        }),
    ],
)  # fmt: skip
def test_lint_reads_of_trainers_of_language_models_what_the_plan_says_or_that_is_lost(precision, otherwise):
    plan = Candidate(precisions={"model": precision})
    read = {one.name: linted(plan, LANGUAGE, "a100")[one.name] for one in TRAINERS}
    assert {name: one.settings.lost for name, one in read.items() if one.settings.lost} == otherwise
    assert all(one.written == bool(one.settings.settings) for one in read.values())


def test_activations_are_computed_anew_in_the_words_of_each_trainer():
    keys = {
        "torchtune": ("enable_activation_checkpointing", True), "torchtitan": ("activation_checkpoint.mode", "full"),
        "axolotl": ("gradient_checkpointing", True),
    }  # fmt: skip
    said = spelled(Candidate(checkpointing=True), LANGUAGE)
    assert {name: said[name].settings[key] for name, (key, _) in keys.items()} == {n: v for n, (_, v) in keys.items()}


@pytest.mark.parametrize("change", [{"kind": "UNet"}, {"updated": 1}, {"trained": False}])
def test_trainers_of_language_models_are_told_where_one_is_trained_whole(change):
    said = spelled(Candidate(), [{**LANGUAGE[0], **change}])
    assert not {one.name for one in TRAINERS} & said.keys()


@pytest.mark.parametrize(
    ("saves", "what", "have"),
    [
        ({"states": "bitsandbytes"}, "8-bit states (bitsandbytes)",
         {"transformers", "onetrainer", "sd-scripts", "axolotl", "llamafactory"}),
        ({"states": "torchao"}, "8-bit states (torchao)", {"transformers", "llamafactory"}),
        ({"host": "optimizer"}, "optimizer on the host", {"deepspeed"}),
        ({"host": "weights"}, "weights on the host", {"deepspeed", "torchtune"}),
        ({"ranks": 4}, "FSDP2 over 4", {"fsdp2", "torchtune", "torchtitan"}),
    ],
)  # fmt: skip
def test_what_else_is_saved_is_said_or_lost_and_lint_has_nothing_against_it(saves, what, have):
    read = linted(Candidate(**saves), LANGUAGE, "a100")
    assert {name for name, one in read.items() if what not in one.settings.lost} == have
    plain = linted(Candidate(), LANGUAGE, "a100")
    more = {name: set(one.findings) - set(plain[name].findings) for name, one in read.items()}
    assert not {name: told for name, told in more.items() if told}


VAE = "vae computes in bfloat16 instead of float32"
AROUND = "unet also runs under autocast"


@pytest.mark.parametrize(
    ("precision", "otherwise"),
    [
        ("32-true", {}),
        ("bf16-mixed", {
            "onetrainer": [VAE], "sd-scripts": [VAE], "simpletuner": ["unet is stored in bfloat16 instead of float32"],
        }),
        ("bf16-true", {"onetrainer": [AROUND, VAE], "sd-scripts": [AROUND, VAE], "simpletuner": [AROUND]}),
    ],
)  # fmt: skip
def test_what_lint_reads_otherwise_is_lost(precision, otherwise):
    plan = Candidate(precisions={"unet": precision, "vae": "32-true"})
    said = spelled(plan, COMPONENTS)
    read = {name: one.settings.lost for name, one in linted(plan, COMPONENTS, "a100").items()}
    lost = {name: [one for one in told if one not in said[name].lost] for name, told in read.items()}
    assert {name: told for name, told in lost.items() if told} == otherwise
