"""The shadow on the cases of benchmarks/numerics: the line of each fault that it sees, silence on each right form."""

from __future__ import annotations

from functools import cache

import pytest
from numerics.case import RIGHT, cases
from shadowed import plain, same_bits, shadowed, tensors, told

CASES = {case.name: case for case in cases()}
NOT_OF_NUMBERS = {"widening", "scaler-misuse"}
"""Kinds at which no number is lost: dtypes and calls tell these."""
MISSED = {
    "accuracy_by_floor": "--numerics tells it",
    "adam_float16": "--numerics tells it",
    "adamw_small_eps": "told at the weight, whose eps is 0",
    "alphas_of_a_schedule": "told where it is divided and its logarithm taken",
    "attention_mask_times_inf": "--numerics tells it",
    "auxiliary_loss_unscaled": "--numerics tells it",
    "balance_of_a_head": "told at the step",
    "barlow_twins_bf16": "told where it cancels, one line later",
    "bins_of_numbers": "--numerics tells it",
    "bn_recalibrate_bf16": "told at the statistics; where they got their dtype stands beside it",
    "boxes_moved_apart": "told where the shift is made, one line before",
    "bucket_of_distances": "--numerics tells it",
    "channel_stats_float64": "--numerics tells it",
    "clip_then_step": "--numerics tells it",
    "clipped_4096_times": "--numerics tells it",
    "clock_of_day": "told where the angle is made, one line before",
    "cmvn_of_features": "told where the mean is subtracted, one line later",
    "corrections_of_adam": "--numerics tells it",
    "decay_beside_stochastic_steps": "decay alone is small beside a step: nobody tells it",
    "decayed_rate": "--numerics tells it",
    "diffusion_by_fft": "float32 cancels to 0.6 % of the whole, all of it at a few lags",
    "envelope_of_a_compressor": "--numerics tells it",
    "expert_bias_bf16": "told at the sum; where it got its dtype stands beside it",
    "factorization_manual_sgd": "told at the weights",
    "fourier_matrix": "told where the angle is made, one line before",
    "grey_of_colours": "--numerics tells it",
    "gumbel_noise_half": "told one line later",
    "hours_of_a_series": "told where the angle is made, one line before",
    "ids_beside_ratings": "--numerics tells it",
    "ids_in_half_a_table": "--numerics tells it",
    "infinity_times_zero": "--numerics tells it",
    "instance_norm_that_tracks": "--numerics tells it",
    "integral_of_a_picture": "--numerics tells it",
    "interpolated_rotary": "told where the angle is made, one line before",
    "kv_cache_widened": "--numerics tells it",
    "label_smoothing": "--numerics tells it",
    "label_smoothing_long": "--numerics tells it",
    "latent_of_a_picture": "told where the latent got its dtype",
    "lora_in_half": "told at the step",
    "mask_by_its_count": "--numerics tells it",
    "masters_unscaled": "--numerics tells it",
    "max_priority_int": "--numerics tells it",
    "mean_of_found_boxes": "--numerics tells it",
    "mean_of_no_tokens": "--numerics tells it",
    "messages_by_age": "the same formula in float64 is 0, too, or bounded",
    "moments_into_a_buffer": "--numerics tells it",
    "muon_of_a_block": "told at the weights",
    "nadam_of_a_tuned_encoder": "told at the weights",
    "negatives_of_a_recommender": "--numerics tells it",
    "nerf_by_custom_function": "told where the angle is made, two lines before",
    "nerf_encoding_half": "told where the angle is made",
    "nll_of_a_gaussian": "told one line later",
    "offsets_of_codebooks": "told where the model is cast",
    "optimizer_reload_bf16": "told at the step; where the state got its dtype stands beside it",
    "patches_by_bucketize": "--numerics tells it",
    "perplexity_of_half": "one rounding, which exp makes 0.7 %",
    "phase_of_a_vocoder": "told where the angle is made, one line before",
    "plays_of_songs": "sparse tensors have no shadow",
    "ppo_approx_kl": "the terms of its formula have lost a little before: nobody tells it",
    "precise_batch_norm": "--numerics tells it",
    "priorities_of_replay": "--numerics tells it",
    "quantiles_of_a_sorted_row": "--numerics tells it",
    "rates_cast_with_the_model": "--numerics tells it",
    "resized_boxes": "--numerics tells it",
    "results_by_picture": "--numerics tells it",
    "returns_like_actions": "--numerics tells it",
    "reversible_norm": "told where the mean is subtracted, two lines later",
    "rmsprop_of_an_embedding": "told at the optimizer, whose eps is 0",
    "rolling_sum": "two differences, one after the other: nobody tells it",
    "router_scores_bf16": "told at the choice; where they were rounded stands beside it",
    "sac_temperature_bf16": "--numerics tells it",
    "seconds_of_a_step": "--numerics tells it",
    "shift_by_fourier": "angles are off by less than a tenth of a radian",
    "sigmas_float64": "--numerics tells it",
    "smooth_l1_of_boxes": "--numerics tells it",
    "soft_labels": "--numerics tells it",
    "step_in_float_stored_in_half": "told at the weights",
    "steps_in_the_backward": "told at the weights",
    "temperature_that_learns": "--numerics tells it",
    "temporal_table": "told where the angle is made, two lines before",
    "tick_of_a_cache": "--numerics tells it",
    "token_ids_uint16": "NumPy makes the ids: nobody tells it",
    "tokens_per_expert_bf16": "told at the sum; where it got its dtype stands beside it",
    "turn_by_matrix": "told where the angle is made, one line before",
    "two_forward_passes": "--numerics tells it",
    "utm_centre_float32": "told at the difference; where they were rounded stands beside it",
    "vector_of_weights": "--numerics tells it",
    "viterbi": "--numerics tells it",
    "weight_decay_by_mul": "--numerics tells it: decay alone is small beside a step",
    "weights_like_labels": "--numerics tells it",
    "weights_of_particles": "--numerics tells it",
}
SEEN = [name for name, case in CASES.items() if case.kind not in NOT_OF_NUMBERS and name not in MISSED]


@cache
def seen(name):
    """A case's faulty form, run once for all tests."""
    return shadowed(CASES[name].faulty, name)


def accused(session):
    return [one for one in session.findings() if one.severity != "hint"]


@pytest.mark.parametrize("name", SEEN)
def test_the_line_is_named(name):
    session, _ = seen(name)
    assert CASES[name].line in [line for _, line in told(session)]


@pytest.mark.parametrize("name", CASES)
def test_the_right_form_is_not_accused(name):
    session, _ = shadowed(CASES[name].right, name)
    assert not accused(session)


@pytest.mark.parametrize("file", sorted(RIGHT.glob("*.py")), ids=lambda file: file.stem)
def test_what_is_done_on_purpose_is_not_accused(file):
    session, _ = shadowed(file.read_text(), file.stem)
    assert not accused(session)
    assert session.shadow.ops > 3


@pytest.mark.parametrize("name", [*SEEN, *MISSED])
def test_the_numbers_are_the_same_bits(name):
    alone, (_, beside) = tensors(plain(CASES[name].faulty, name)), seen(name)
    beside = tensors(beside)
    assert alone.keys() == beside.keys()
    assert [key for key in alone if not same_bits(alone[key], beside[key])] == []


@pytest.mark.parametrize("file", sorted(RIGHT.glob("*.py")), ids=lambda file: file.stem)
def test_the_numbers_of_healthy_programs_are_the_same_bits(file):
    source = file.read_text()
    alone, (_, beside) = tensors(plain(source, file.stem)), shadowed(source, file.stem)
    assert [key for key, one in alone.items() if not same_bits(one, tensors(beside)[key])] == []


def test_what_is_missed_is_still_missed():
    for name in MISSED:
        session, _ = seen(name)
        assert CASES[name].line not in [line for _, line in told(session)]
