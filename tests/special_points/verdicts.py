"""What becomes of each of numba's implementations that look at special points; writes `docs/special_points.md`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.special_points.listing import implementations

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "special_points.md"


@dataclass(frozen=True)
class Verdict:
    """A reason why the derivative is right at every point that the code singles out, or what it is there."""

    title: str
    text: str
    functions: str  # names of implementations, wherever numba has them

    def names(self) -> list[str]:
        """The names in order."""
        return self.functions.split()


VERDICTS = (
    Verdict(
        "ours",
        "our target has an implementation of its own, with the values of numba's bit for bit and a derivative at"
        " every point (`enzyme/frontend/functions`)",
        """
        real_divmod_func_body real_sign_impl round_impl_binary round_ndigits impl_np_round impl_np_sinc
        _generate_logaddexp sqrt_impl acos_impl impl_cmath_acosh asinh_impl atanh_impl complex_power_impl
        real_eq_impl real_ne_impl complex_eq_impl complex_ne_impl np_complex_eq_impl np_complex_ne_impl
        float_as_bool complex_as_bool np_interp_impl_inner np_interp_impl_complex_inner
        _collect_percentiles_inner check_valid numpy_unwrap int_power_impl
        """,
    ),
    Verdict(
        "the same",
        "the cases compute one function, and each has its derivative at the joint",
        """
        np_real_mod_impl static_power_impl complex_div_impl np_complex_div_impl
        np_complex_reciprocal_impl _fabs _i0 numpy_geomspace numpy_linspace numpy_polydiv np_average
        """,
    ),
    Verdict(
        "chosen",
        "passes one of several numbers on, and its derivative; which one at a tie, the value tells",
        """
        np_real_maximum_impl np_real_minimum_impl np_real_fmax_impl np_real_fmin_impl npy_min npy_max
        nan_min_max_factory _compute_current_val_impl_gen less_than_or_equal_complex indval_min indval_max
        _clip_corr np_unique _in1d_impl jit_np_intersect1d jit_np_setxor1d _select_two _select_factory
        _median_inner np_median np_nanmedian np_delete np_insert np_trim_zeros polyutils_trimseq roots_impl
        eig_impl
        """,
    ),
    Verdict(
        "by convention",
        "the function has no derivative there. `np.cbrt` has the infinite limit at 0; the sign of a complex number,"
        " a norm and the modulus have 0 at 0; the logarithm of a determinant is not finite where that is 0",
        """
        np_real_cbrt_impl np_complex_sign_impl _oneD_norm_2_impl _get_norm_impl _get_slogdet_diag_walker
        slogdet_impl cond_impl
        """,
    ),
    Verdict(
        "infinity",
        "infinite operands and nan are singled out, and finite ones where the result is the same",
        """
        is_nan is_inf is_finite impl_cmath_rect exp_impl impl_cmath_cosh impl_cmath_sinh
        """,
    ),
    Verdict(
        "inactive",
        "the result is a truth value, an integer or piecewise constant",
        """
        real_lt_impl real_le_impl real_gt_impl real_ge_impl np_complex_ge_impl np_complex_le_impl
        np_complex_gt_impl np_complex_lt_impl np_complex_floor_div_impl gcd_impl np_lcm_impl np_all np_any
        _allclose_scalars _isclose_item np_iscomplex np_isreal np_contains np_count_nonzero np_array_equal
        np_digitize np_histogram np_bincount matrix_rank_impl dtype_eq_impl array_is
        """,
    ),
    Verdict(
        "integers",
        "lengths, indices, counts, options or status codes are compared",
        """
        _np_vander _check_vander_params binary_search_with_guess _prepare_cov_input_impl _handle_ddof
        _fill_diagonal_params np_diff_impl _np_correlate np_convolve window_generator np_kaiser valid_kths
        _dtype_of_compound make_array normalize_axis_tuple_overloads _can_broadcast numpy_broadcast_shapes_list
        ol_numpy_broadcast_shapes numpy_rot90 normalize_reshape_value numpy_resize _change_dtype np_repeat
        np_repeat_impl_repeats_scaler ol_compatible_view make_nditer_cls make_array_ndindex_tuple numpy_eye
        impl_np_diag np_arange compute_sequence_shape np_concatenate_typer _np_hstack _np_vstack _np_dstack np_split
        sliding_window_view _take_along_axis_impl dot_2_mm dot_2_vm dot_2_mv dot_2_vv dot_3_vm_check_args
        dot_3_mv_check_args dot_3_mm _inv_err_handler inv_impl _handle_err_maybe_convergence_problem cho_impl
        eigvals_impl eigh_impl eigvalsh_impl svd_impl qr_impl _system_check_dimensionally_valid_impl
        _system_check_non_empty_impl _lstsq_residual_impl solve_impl pinv_impl _compute_singular_values_impl
        matrix_power_impl matrix_trace_impl numpy_polyadd numpy_polysub _broadcast_onto
        """,
    ),
    Verdict(
        "types",
        "types are compared, when the function is compiled",
        """
        generic_is opaque_is ol_isinstance resolve_getattr make_scalar_reduction_impl_axis
        make_scalar_reduction_impl populate_array numpy_broadcast_arrays _check_lapack_int_width
        numpy_gufunc_kernel
        """,
    ),
)

HEAD = """\
# Special points

Numerical libraries single out points: `x % y` returns a constant where the remainder is zero, `np.interp` a node's
own value at a node, `np.logaddexp(x, y)` is x plus a constant where both are equal. Such a branch has the value of
the function, and not always its derivative. What is differentiated is the function: at a point that the
implementation singles out it has its derivative there, and at a joint of pieces that of one side.

```python
>>> import numpy as np
>>> from numba import njit
>>> from enzyme import Active, Reverse, autodiff
>>> f = njit(lambda x, y: x % 0.5 + np.logaddexp(x, y))
>>> autodiff(Reverse, f, Active, Active(2.0), Active(2.0))
((1.5, 0.5),)
```

A branch of your own is differentiated as it is written: `3.0 * x if x == 2.0 else x * x` has slope 3 at 2.

| function | at | derivative |
|---|---|---|
| `x % y`, `np.mod`, `np.remainder`, `divmod` | multiples of y, 0 | 1 in x, minus the quotient in y |
| `np.fmod` | multiples of y, 0 | 1 in x, minus the truncated quotient in y |
| `x // y`, `np.floor_divide`, `np.sign`, `round`, `np.round` | everywhere | 0 |
| `x ** y`, `np.power` | x = 0, y = 0, 1, 2, ... | that of the polynomial in x; 0 in y |
| `x ** n` with an integer n | x = 0, infinite x, n = 0 | `n * x ** (n - 1)`, 0 for n = 0, and so on |
| complex `z ** w` | w = 0, 1, 2, ... | `w * z ** (w - 1)`, `z ** w * log(z)`; 0 in w at z = 0 |
| `np.logaddexp`, `np.logaddexp2` | equal arguments, also infinite ones | 0.5 and 0.5 |
| `np.sinc` | 0 and near it | of the series, to all orders |
| `np.interp` | nodes | the slope to the right, at the last node to the left; outside 0 |
| `np.percentile`, `np.quantile` | 0 and 100 percent | in the percentage, the slope of the last interval |
| `np.unwrap` | jumps by half a period | 1 |
| complex `sqrt`, `log`, `asin`, `acosh`, `atan` and relatives | on cuts | of the side that the sign of zero tells |
| complex `sqrt` | 0 | 0, as for real numbers |
| complex logarithms and inverse functions | ends of cuts | not finite |
| `np.cbrt` | 0 | infinite |
| `abs`, `hypot`, `atan2`, `np.sign` of complex numbers | 0 | 0 (real `abs`: 1) |

The rest of this page is written by `python -m tests.special_points.verdicts`. It lists all implementations of numba's
of functions of numbers and of arrays in which a number is compared with a constant, or two numbers for equality.
A test fails when there is one that is not listed.
"""


def verdict_of(name: str) -> Verdict | None:
    """The verdict of an implementation by its full name."""
    short = name.rpartition(".")[2]
    return next((v for v in VERDICTS if short in v.names()), None)


def document() -> str:
    """The text of `docs/special_points.md`."""
    listed = implementations()
    parts = [HEAD]
    for verdict in VERDICTS:
        parts.append(
            f"\n## {verdict.title.capitalize()}\n\n{verdict.text[0].upper()}{verdict.text[1:]}.\n\n"
        )
        parts.append("| implementation | compares |\n|---|---|\n")
        for name, comparisons in listed.items():
            if verdict_of(name) is verdict:
                shown = ", ".join(f"`{c}`" for c in comparisons[:6]).replace("|", "\\|")
                parts.append(f"| `{name}` | {shown}{', ...' if len(comparisons) > 6 else ''} |\n")
    return "".join(parts)


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
