"""Each pattern against its judge: real torch, or a text that a CPU cannot raise; else the corpus (`test_corpus.py`)."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from miscast.explanation import explained
from miscast.explanation.cause import causes
from miscast.explanation.library import libraries
from miscast.explanation.pattern import patterns
from miscast.explanation.recognise import (
    ANCHORS,
    RAISED as PREFIXES,
    _literals,
    recognise,
)
from miscast.explanation.sentence import Sentence
from miscast.explanation.squash import compact
from miscast.explanation.template import Template
from sweep import sweep

PATTERNS = patterns()
CATEGORIES = {
    "dtype-mismatch", "device-mismatch", "unsupported-dtype", "unsupported-device", "precision-config",
    "grad-scaler", "overflow-nan", "distributed-dtype",
}  # fmt: skip
EXAMPLES = [(pattern.name, text) for pattern in PATTERNS for text in pattern.examples]
RAISED = [pattern for pattern in PATTERNS if pattern.raised_by]


def test_names_are_unique_and_categories_known():
    names = [pattern.name for pattern in PATTERNS]
    assert len(set(names)) == len(names)
    assert {pattern.category for pattern in PATTERNS} == CATEGORIES


@sweep("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_the_search_for_words_finds_every_template(pattern):
    words = [compact(word) for word in ANCHORS]
    for template in pattern.templates:
        assert len(template.sequences) <= 400
        for sequence in template.sequences:
            literals = [part for part in sequence if isinstance(part, str)]
            if not any(word in part for word in words for part in literals):
                told = any(word in text.lower() for word in PREFIXES for text in pattern.examples)
                assert told or pattern.raised_by, template.text


def test_the_words_of_the_sieve_are_few_enough_to_be_looked_for_at_once():
    assert len(ANCHORS) <= 128  # of more, ahocorasick-rs takes another way, half as fast


@sweep("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_texts_can_be_compiled_and_begin_as_their_sequences_do(pattern):
    for template in pattern.templates:
        first = [sequence[0] for sequence in template.sequences if isinstance(sequence[0], str)]
        assert template.heads == {start[:24] for start in first if len(start) >= 24}
    assert all(sentence.form.pattern for sentence in pattern.sentences)


@pytest.mark.parametrize("text", ["[must|should] be {expected}", "{found:kind} is unknown"])
def test_a_sentence_with_another_hole_is_refused(text):
    with pytest.raises(ValueError, match="unknown kind of hole"):
        _ = Sentence(text).form


@pytest.mark.parametrize("text", ["{found} {expected:device}", "mixed dtype {found:exact}"])
def test_a_text_that_is_no_template_is_refused(text):
    with pytest.raises(ValueError, match=r"a template needs a word|unknown kind of hole"):
        _ = Template(text).sequences


@sweep(("name", "text"), EXAMPLES, ids=lambda value: value[:60])
def test_an_example_is_recognised(name, text):
    found = recognise(text)
    assert found is not None
    assert found.pattern.name == name


@sweep("text", [text for _, text in EXAMPLES], ids=lambda text: text[:60])
def test_an_example_is_found_among_lines_of_which_no_two_are_alike(text):
    letters = "abcdefghij"
    lines = ["".join(letters[int(digit)] for digit in f"{number * 7919:06}") + " went on" for number in range(60)]
    alone = [(found.pattern, found.operands) for found in explained(text)]
    among = explained("\n".join([*lines[:30], "", text, "", *lines[30:]]))
    assert [(found.pattern, found.operands) for found in among] == alone


@sweep("pattern", RAISED, ids=lambda pattern: pattern.name)
def test_torch_raises_it(pattern):
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(Exception) as caught:  # noqa: PT011 - which message it is, is what is tested
            exec(pattern.raised_by, {"torch": torch, "F": torch.nn.functional})
    found = recognise(f"{caught.type.__name__}: {caught.value}")
    assert found is not None
    assert found.pattern.name == pattern.name


def test_implied_causes_and_advised_causes_exist():
    known = {cause.name for cause in causes()}
    assert {name for pattern in PATTERNS for name in pattern.implies} <= known
    assert {name for library in libraries() for name in library.help} <= known | CATEGORIES


def test_patterns_that_causes_and_patterns_name_exist():
    asked = [fact for cause in causes() for fact in cause.needs]
    asked += [fact for cause in causes() for clue in cause.clues for fact in clue.facts]
    named = {part.removeprefix("pattern:") for fact in asked for part in fact.split("|") if part.startswith("pattern:")}
    ended = {name for pattern in PATTERNS for name in pattern.ends}
    assert named | ended <= {pattern.name for pattern in PATTERNS}


def test_the_build_writes_the_literals_of_every_template(tmp_path):
    """With a bare interpreter: an isolated build has installed none of what the package imports."""
    code = f"import hatch_build; hatch_build.write({str(tmp_path / 'literals.json')!r})"
    subprocess.run([sys.executable, "-S", "-c", code], cwd=Path(__file__).parents[2], check=True)
    assert json.loads((tmp_path / "literals.json").read_text("utf-8")) == {
        template.text: sorted(template.literals) for pattern in patterns() for template in pattern.templates
    }


def test_without_a_build_there_are_no_literals_to_read(monkeypatch):
    def read(*_):
        raise FileNotFoundError

    monkeypatch.setattr("pkgutil.get_data", read)
    assert _literals() == {}
