# SPDX-License-Identifier: BSD-3-Clause
"""The look of every plot: colours, headings, legends, ticks, and how a few or many values are drawn."""

from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from plots import np, plt

# The colours of Okabe and Ito, which every kind of colour vision tells apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
BLUE, ORANGE, GREY = "#56B4E9", "#D55E00", "0.86"
FEWEST_IN_A_BOX = 10  # the quartiles of fewer values say less than the values
HEADING_SIZE, LEGEND_SIZE = 11, 9
LONGEST_NAME = 40  # letters


def plain(text, longest=LONGEST_NAME):
    """A name from a file, shortened in the middle; a dollar sign begins no formula."""
    text = " ".join(str(text).split())
    if len(text) > longest:
        text = text[: longest // 2] + "…" + text[-(longest - longest // 2 - 1) :]
    return text.replace("$", r"\$")


def new_figure(width, height, rows=1, columns=1, **options):
    """(figure, axes of shape (rows, columns)); the size is in inches. finish() completes it."""
    return plt.subplots(rows, columns, figsize=(width, height), layout="constrained", squeeze=False, **options)


def _width(figure, text):
    artist = figure.text(0, 0, text, fontsize=HEADING_SIZE)
    width = artist.get_window_extent(figure.canvas.get_renderer()).width
    artist.remove()
    return width / figure.bbox.width


def wrapped(figure, line):
    """The line broken between words so that every part is narrower than the figure."""
    parts = [""]
    for word in line.split(" "):
        longer = f"{parts[-1]} {word}" if parts[-1] else word
        if parts[-1] and _width(figure, longer) > 0.96:
            parts.append(word)
        else:
            parts[-1] = longer
    return "\n".join(parts)


def finish(figure, heading, handles=()):
    """The lines of the heading above all panels and a legend below them, both within the width of the figure."""
    figure.suptitle("\n".join(wrapped(figure, line) for line in heading), fontsize=HEADING_SIZE)
    if not handles:
        return
    renderer = figure.canvas.get_renderer()
    for columns in range(min(len(handles), 8), 0, -1):
        legend = figure.legend(handles=handles, loc="lower center", ncols=columns, frameon=False, fontsize=LEGEND_SIZE)
        extent = legend.get_window_extent(renderer)
        if extent.width <= 0.98 * figure.bbox.width or columns == 1:
            break
        legend.remove()
    share = extent.height / figure.bbox.height + 0.015
    figure.get_layout_engine().set(rect=(0, share, 1, 1 - share))


def line_handle(label, **look):
    return Line2D([], [], label=label, **look)


def not_computed_handle(what):
    return Patch(facecolor=GREY, edgecolor="0.6", hatch="///", label=what)


def wide_range(values):
    """Whether a log scale shows these values better; it cannot show zeros."""
    return values.size > 0 and values.min() > 0 and values.max() > 8 * values.min()


def decimal_log_ticks(axis):
    """Ticks at 1, 2 and 5 times powers of ten, written out."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=20))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def power_of_ten(log10):
    """10**log10 in scientific notation."""
    exponent = int(np.floor(log10 + 1e-9))
    factor = f"{10 ** (log10 - exponent):.2g}"
    return f"$10^{{{exponent}}}$" if factor == "1" else f"${factor}\\times 10^{{{exponent}}}$"


def power_ticks(axis, low, high, centres):
    """Ticks of an axis that shows logarithms to base 10 from low to high, labelled with the numbers themselves."""
    powers = np.arange(np.ceil(low), np.floor(high) + 1)
    powers = powers[:: max(1, -(-powers.size // 10))]
    every = np.concatenate([power + np.log10(np.arange(1, 10)) for power in np.arange(np.floor(low), np.ceil(high) + 1)])
    axis.set_minor_locator(FixedLocator(every[(every >= low) & (every <= high)]) if high - low < 12 else NullLocator())
    if powers.size < 2:  # less than two decades
        powers = np.array([power + np.log10(factor) for power in np.arange(np.floor(low), np.ceil(high)) for factor in (1, 2, 5)])
        powers = powers[(powers >= low) & (powers <= high)]
    if powers.size < 2:
        powers = np.asarray(centres)[[0, -1]] if len(centres) > 1 else np.asarray(centres)
    axis.set_major_locator(FixedLocator(powers))
    axis.set_major_formatter(FuncFormatter(lambda value, _: power_of_ten(value)))
    axis.set_minor_formatter(NullFormatter())


def size_ticks(axis, sizes):
    """Ticks at numbers of samples on a log scale, leaving out those whose labels would overlap."""
    shown, span = [], max(np.log(sizes[-1] / sizes[0]), 1e-9)
    for size in sizes[::-1]:  # the largest is always shown
        if not shown or np.log(shown[-1] / size) > 0.09 * span:
            shown.append(size)
    axis.set_ticks(shown, [f"{size:,}" for size in shown])
    axis.set_minor_locator(NullLocator())


def class_ticks(axis, names, upright=False):
    """A tick for each class, smaller and on end where names are many or long; every second one and so on above 60."""
    step = -(-len(names) // 60)
    size = 10 if len(names) <= 12 else 8 if len(names) <= 30 else 6
    labels = [plain(name, 24 if len(names) <= 12 else 16) for name in names[::step]]
    across = max(len(label) for label in labels) * len(labels) > 60
    axis.set_ticks(range(0, len(names), step), labels, fontsize=size, rotation=90 if across and not upright else 0)


def two_values(values):
    """Whether ten values or more are one of two, as the errors of leave-one-out: their quartiles say nothing."""
    known = np.asarray(values)[np.isfinite(values)]
    return known.size >= FEWEST_IN_A_BOX and np.unique(known).size == 2


def draw_values(axes, position, values, width, colour, flat=0.0, as_mean=False):
    """A box of ten values or more with their mean; fewer as points side by side in their order, with a bar at their mean.

    A box no higher than `flat` would vanish behind its median: it becomes a bar of its colour. as_mean: of ten values or more only
    the mean and its standard error.
    """
    values, ends = np.asarray(values), position + width * np.array([-0.5, 0.5])
    if values.size < FEWEST_IN_A_BOX:
        places = position + width * (np.linspace(-0.4, 0.4, values.size) if values.size > 1 else np.zeros(values.size))
        axes.plot(places, values, "o", ms=3.5, mfc=colour, mec="black", mew=0.5, gid="points")
        axes.plot(ends, [values.mean()] * 2, color="black", lw=1.6, solid_capstyle="butt", gid="mean")  # above equal points, too
        return
    if as_mean:
        error = values.std() / np.sqrt(values.size)
        axes.vlines(position, values.mean() - error, values.mean() + error, color="black", lw=1.2)
        axes.plot([position], [values.mean()], "D", ms=6, mfc=colour, mec="black", mew=0.8, gid="mean")
        return
    axes.boxplot(
        [values],
        positions=[position],
        widths=width,
        manage_ticks=False,
        patch_artist=True,
        boxprops={"facecolor": colour, "linewidth": 0.8},
        medianprops={"color": "black", "linewidth": 1.6},
        flierprops={"marker": "o", "markersize": 3.5, "markerfacecolor": colour, "markeredgecolor": "black", "markeredgewidth": 0.5},
    )
    axes.plot([position], [values.mean()], "D", ms=4, mfc="white", mec="black", mew=0.8, zorder=5, gid="mean")
    low, high = np.percentile(values, [25, 75])
    if high - low <= flat:
        axes.plot(ends, [(low + high) / 2] * 2, color=colour, lw=6, solid_capstyle="butt", zorder=1.9, gid="flat box")


def values_handles(count, colour, what, two_values=False):
    """Of draw_values with so many values, each of which is a `what`; two_values: as_mean of draw_values."""
    if count < FEWEST_IN_A_BOX:
        point = line_handle(what, marker="o", ls="", ms=4, mfc=colour, mec="black", mew=0.5)
        return [point, line_handle("mean", color="black", lw=1.6)]
    if two_values:
        return [line_handle(f"mean over the {what}s and its standard error", color="black", lw=1.2, marker="D", ms=6, mfc=colour)]
    outlier = line_handle("outlier (beyond 1.5 box heights)", marker="o", ls="", ms=4, mfc=colour, mec="black", mew=0.5)
    mean = line_handle("mean", marker="D", ls="", ms=4, mfc="white", mec="black", mew=0.8)
    return [Patch(facecolor=colour, edgecolor="black", label="quartiles, median"), mean, outlier]
