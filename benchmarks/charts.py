"""Charts of what was kept of a whole run; matplotlib is needed to draw, and to draw only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

COLOURS = {
    "scalar": "#4477aa",
    "arrays": "#66ccee",
    "linear": "#228833",
    "learning": "#ccbb44",
    "irregular": "#ee6677",
    "adbench": "#aa3377",
}


def _pyplot() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def bars(rows: list[dict], path: Path) -> None:
    """A bar for each program: gradient / primal, with a mark where the adjoint written by hand is, and JAX."""
    pyplot = _pyplot()
    families = [f for f in COLOURS if any(r["family"] == f for r in rows)]
    rows = [r for f in families for r in sorted((r for r in rows if r["family"] == f), key=_ratio)]
    rows = [r for r in rows if r["ratio"]]
    figure, panel = pyplot.subplots(figsize=(9, 2 + 0.19 * len(rows)))
    places = range(len(rows))
    panel.barh(places, [r["ratio"] for r in rows], color=[COLOURS[r["family"]] for r in rows])
    for name, marker, colour, value in (
        ("by hand", "|", "black", lambda r: _by(r["ratio"], r["against_hand_written"])),
        ("JAX", "x", "grey", lambda r: r["jax_against"] and r["ratio"] * r["jax_against"]),
    ):
        seen = [(value(r), k) for k, r in enumerate(rows) if value(r)]
        if seen:
            panel.scatter(
                *zip(*seen, strict=True), marker=marker, color=colour, s=30, zorder=3, label=name
            )
    for family in families:
        panel.barh([0], [0], color=COLOURS[family], label=family)
    panel.set_yticks(list(places), [r["name"] for r in rows], fontsize="x-small")
    panel.set_xscale("log")
    panel.set_ylim(-1, len(rows))
    panel.axvline(1.0, color="black", linewidth=0.8)
    panel.grid(True, axis="x", which="both", alpha=0.25)
    panel.set_xlabel("time of a gradient, in evaluations of the primal")
    panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _ratio(row: dict) -> float:
    return row["ratio"] or 0.0


def _by(ratio: float, against: float | None) -> float | None:
    return ratio / against if against else None


def lines(rows: list[dict], path: Path) -> None:
    """Gradient and primal over the work, a panel for each family, both axes logarithmic."""
    pyplot = _pyplot()
    families = [f for f in COLOURS if any(r["family"] == f for r in rows)]
    figure, panels = pyplot.subplots(
        2, -(-len(families) // 2), figsize=(13, 8), sharex=True, sharey=True, squeeze=False
    )
    for family, panel in zip(families, panels.flat, strict=False):
        for k, row in enumerate(r for r in rows if r["family"] == family):
            colour = pyplot.colormaps["tab10"].colors[k % 10]
            work = row["work"]
            panel.loglog(work, row["gradient"], "-o", markersize=3, color=colour, label=row["name"])
            panel.loglog(work, row["primal"], ":", linewidth=1, color=colour)
        panel.set_title(f"{family}: gradient (line) and primal (dots)", fontsize="medium")
        panel.grid(True, which="both", alpha=0.25)
        panel.legend(fontsize="x-small")
        panel.set_xlabel("work, 1 at the size of the benchmark")
        panel.set_ylabel("seconds")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
