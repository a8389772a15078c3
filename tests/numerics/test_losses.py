"""The cases of benchmarks/numerics under `check --numerics`: the line is named, and right forms get no finding."""

import linecache
import sys
from functools import partial
from pathlib import Path

import pytest

import miscast

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))
try:
    from numerics.case import RIGHT, cases
finally:
    sys.path.remove(str(BENCHMARKS))

CASES = {case.name: case for case in cases()}
NOT_SEEN = {
    "cast_of_large_numbers",  # of complex numbers nothing is known
    "finite_difference",  # cancellation in float32
    "hash_in_float32", "noise_of_first_step", "sigma_times_thousand",
    "small_loss_in_half",  # in backward
    # of what a loop adds nothing is known, or differences and underflow by numbers that are not
    "bucket_of_gradients", "chances_of_a_chain", "empty_context", "focal_of_certain",
    "functional_descent", "likeness_of_pictures", "lion_of_its_own", "loss_of_near_views", "plan_of_transport",
    "pointer_of_a_queue", "polar_of_rounded_angles", "ratios_of_alphas",
    "teacher_by_class", "volume_of_a_flow", "votes_of_pixels", "weights_to_int8", "welford_of_rewards",
    "adagrad_of_a_layer", "bag_of_counts", "batch_norm_far_from_zero", "complex_turns", "cosine_of_short_rows",
    "gate_of_a_mixture", "gradients_of_replicas", "hull_of_points", "interpolated_places",
    "likelihood_of_a_track", "loss_scale_by_tokens", "odds_of_answers", "order_of_events",
    "partition_by_hand", "progress_of_training", "router_ties", "sampling_grid", "scale_of_a_quiet_row",
    "sign_of_momentum", "small_grads_of_a_probe", "softmin_of_costs", "state_of_a_scan", "tail_of_a_normal",
    "certain_classifier", "dual_ascent", "rolling_sum",
    "angle_of_rotations", "balance_of_payments", "belief_by_hand", "betas_of_cosine", "cache_in_fp8",
    "carrier_wave", "end_of_cosine", "evidence_of_a_process", "first_step_of_sampler", "fisher_of_tasks",
    "kalman_update", "largest_code", "margin_of_angles", "mixture_density",
    "normals_of_a_field", "orbit_of_a_satellite", "power_spectrum", "resampled_late",
    "returns_scaled_by_running_std", "safe_bce", "scan_by_cumsum", "sound_in_air", "soup_of_checkpoints", "splats",
    "squashed_actions", "task_vectors", "tokens_by_scatter", "triplets_with_themselves", "trust_ratio",
    "weights_of_tail_quantiles",
    "adafactor_by_hand", "corners_of_windows", "covariance_by_bmm", "empty_bags", "forbidden_actions", "gated_product",
    "group_norm_by_var_mean", "keys_all_padded", "lengths_like_features", "likelihood_of_coins", "logistic_mixture",
    "mutual_information", "overlap_of_histograms", "power_iteration", "rotary_by_outer", "softmax_by_chunks",
    "spread_by_moments", "squares_of_small_grads", "volume_of_shapes", "waiting_times", "whiten_by_foreach",
    "alphas_of_a_schedule", "curvature_by_differences", "eligibility_traces", "gradient_of_masked_rates",
    "lamb_by_hand", "missing_targets", "neighbours_by_cdist", "phase_of_a_vocoder",
    "purity_of_classes", "sharpness_aware", "spread_of_an_average", "spread_of_one_answer", "sum_of_snapshots",
    "all_padded_sample", "confusion_by_index_put", "einsum_of_pairs", "likelihood_of_a_sequence",
    "nan_of_a_skipped_log", "codes_of_a_large_book", "decay_beside_stochastic_steps", "timestep_divided_later",
    "timestep_on_its_way", "step_in_float_stored_in_half",
    "accumulator_of_int8", "attention_over_edges", "beams_of_microphones", "boxes_moved_apart",
    "contrast_of_an_amateur", "diffusion_by_fft", "distance_of_frechet", "divergence_of_a_collapsed_code",
    "doubt_of_a_process", "energies_of_formation", "frames_of_events", "friends_in_common",
    "gradient_of_a_frequent_word", "gradients_sent_in_half", "guided_filter", "jitter_of_a_kernel",
    "keypoints_of_heatmaps", "largest_of_neighbours", "latent_of_a_picture", "lengths_of_limbs",
    "likeness_of_two_views", "map_of_neighbours", "massive_activations", "messages_of_relations",
    "offsets_of_codebooks", "order_along_a_curve", "plays_of_songs", "rand_index", "range_of_activations",
    "ratings_of_players", "room_for_keys", "saliency_of_connections", "sines_of_siren", "spheres_far_away",
    "spread_of_a_minibatch", "steps_in_the_backward", "structure_factors", "aspect_of_padded_boxes",
    "blocks_by_true_division", "cmvn_of_features", "guidance_of_each_picture", "hessian_of_a_quantizer",
    "integrated_gradients", "inverted_latent", "lookahead_slow_weights", "messages_by_age", "morton_code_of_points",
    "muon_of_a_block", "peak_of_a_recording", "ray_meets_a_sphere", "reversible_norm", "saliency_of_weights",
    "shift_by_fourier", "zero_order_hold", "buckets_of_planes",
    "no_scaler_in_a_loop",  # told at the scaler, which is off
    "depth_loss_masked_product", "discounted_return_bf16", "duplicate_distance_float32",
    "gram_matrix_half", "joint_distance_where", "label_cache_uint8", "lora_merge_bf16", "observation_variance_float32",
    "second_moment_half", "sentence_probability_float32",
    # of what other people wrote, and what was reported elsewhere
    "anchor_centers_bf16", "attention_scaled_late", "barlow_twins_bf16", "cosine_small_half", "crf_forward_exp",
    "ddim_step_bf16", "embedding_quant_uint8", "empty_caption_attention", "expert_bias_bf16",
    "feature_variance_float32", "flow_logdet", "focal_loss_saturates", "gan_clamp_float32", "gat_isolated_node",
    "gcn_degree_bf16", "graph_pool_half", "int8_weight_truncation", "inverse_softplus_bias", "knn_expanded_distance",
    "log_spectrogram_silence", "mask_min_twice", "mc_dropout_votes_uint8", "nearest_expanded", "nms_offset_half",
    "normalize_default_eps", "normalize_half_zero", "optimizer_reload_bf16", "ppo_approx_kl",
    "quiet_audio_level_half", "rmsprop_state_bf16", "rope_inv_freq_bf16", "rotation_angle_acos", "router_scores_bf16",
    "ssm_state_bf16", "token_ids_uint16", "tokens_per_expert_bf16", "triplet_sqrt_gradient", "utm_centre_float32",
    "w8a8_linear_int8",
}  # fmt: skip
"""What a shadow sees, or nobody: a list to shrink."""


def run(source, name):
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), {"__name__": "__main__"})


def report(source, name):
    return miscast.check(partial(run, source, name), numerics=True)


def lost(found):
    """Findings of lost numbers: float8 on a CPU is slow besides, and a formula may be better."""
    return [one for one in found.findings if one.rule not in ("dtype-not-on-machine", "unstable-formula")]


def lines(found):
    births = [
        operand.dtype_origin.location.line
        for one in lost(found)
        for operand in one.operands
        if operand.dtype_origin is not None and operand.dtype_origin.location is not None
    ]
    return {one.location.line for one in lost(found)} | set(births)


@pytest.mark.parametrize("name", CASES)
def test_the_faulty_line_is_named(name):
    case = CASES[name]
    found = report(case.faulty, f"/case/{name}.py")
    assert found.ended is None
    assert found.failed is None
    assert (case.line in lines(found)) == (name not in NOT_SEEN)
    assert all(one.severity == "warning" for one in lost(found))


@pytest.mark.parametrize("name", CASES)
def test_the_right_form_is_left_alone(name):
    found = report(CASES[name].right, f"/case/{name}.py")
    assert found.failed is None
    assert not lost(found)


@pytest.mark.parametrize("file", sorted(RIGHT.glob("*.py")), ids=lambda file: file.stem)
def test_what_is_done_on_purpose_is_left_alone(file):
    found = report(file.read_text("utf-8"), f"/right/{file.name}")
    assert found.failed is None
    assert not lost(found)
