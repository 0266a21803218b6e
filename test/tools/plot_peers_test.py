#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/plot_peers on small files of figures made here."""

import json
import unittest

from plot_case import PlotCase, legend_labels, lines_named, load_tool, np, png_size, shown_texts
from peers import family_figures

plot_peers = load_tool("plot_peers")


def figures(ratios, bound=False):
    return {"seconds": list(ratios), "ratios": list(ratios), "bound": bound, "note": ""}


def refused():
    return {**figures([]), "refused": "binary only"}


def family(classes, **tools):
    own = {"krossfold": figures([])}
    return {"samples": 300, "features": 4, "classes": classes, "tools": {**own, **{name.replace("_", "-"): found for name, found in tools.items()}}}


FAMILIES = {
    "moons": family(2, liquidsvm=figures([0.8, 0.7, 1.0]), sklearn_ovr=figures([40.0, 50.0], bound=True), torchkm=figures([900.0])),
    "letters": family(30, liquidsvm=figures([8.0, 9.0, 10.0]), sklearn_ovr=figures([6.0]), torchkm=refused()),
}


class PlotPeers(PlotCase):
    tool = "plot_peers"

    def figures_file(self, name, families=FAMILIES, **settings):
        path = self.folder / name
        known = {"limit": 300, "grid": [6, 4], "folds": 5, "tolerance": 1e-3, "log10_c": [-2.0, 3.0], "sample": 12, "only": ["sklearn-ovr"]}
        family_figures.write_figures(path, {**known, **settings}, families)
        return path

    def draw(self, *paths):
        return plot_peers.draw(*plot_peers.read(paths))

    def test_a_marker_at_the_median_over_the_range_of_each_peer(self):
        axes = self.draw(self.figures_file("figures.json")).axes[0]
        self.assertEqual(axes.get_xscale(), "log")
        medians = sorted(line.get_xdata()[0] for line in lines_named(axes, "ratio"))
        np.testing.assert_allclose(medians, [0.8, 6, 9, 900])
        (bound,) = lines_named(axes, "bound")
        np.testing.assert_allclose(bound.get_xdata(), [45])
        ranges = sorted(tuple(line.get_xdata()) for line in lines_named(axes, "range"))
        self.assertEqual(ranges, [(0.7, 1.0), (6.0, 6.0), (8.0, 10.0), (40.0, 50.0), (900.0, 900.0)])
        (equal,) = lines_named(axes, "equal")
        self.assertEqual(set(equal.get_xdata()), {1})
        places = [line.get_ydata()[0] for line in (*lines_named(axes, "ratio"), bound)]
        self.assertEqual(len(set(places)), 5)
        self.assertEqual(sum(round(place) == 0 for place in places), 3)

    def test_a_lower_bound_is_hollow_and_its_arrow_points_to_longer_times(self):
        figure = self.draw(self.figures_file("figures.json"))
        axes = figure.axes[0]
        figure.canvas.draw()
        (bound,) = lines_named(axes, "bound")
        self.assertEqual(bound.get_markerfacecolor(), "white")
        arrows = [text.arrow_patch for text in axes.texts if getattr(text, "arrow_patch", None)]
        self.assertEqual(len(arrows), 1)
        extent, frame = arrows[0].get_window_extent(), axes.get_window_extent()
        marker = axes.transData.transform(bound.get_xydata()[0])
        self.assertGreater(extent.x1, marker[0] + 20)
        self.assertLess(extent.x1, frame.x1)
        self.assertIn("hollow, arrow: lower bound (fits ended at the cap)", legend_labels(figure))

    def test_says_what_was_measured(self):
        figure = self.draw(self.figures_file("figures.json"))
        figure.canvas.draw()
        texts = [text.get_text() for text in shown_texts(figure)]
        for text in ("moons", "letters (30 classes)", "1", "10", "1,000", "krossfold faster →", "search time of the program / search time of krossfold"):
            self.assertIn(text, texts)
        self.assertEqual(legend_labels(figure)[:3], ["scikit-learn, one-vs-rest", "liquidSVM", "TorchKM (two classes only)"])
        heading = figure._suptitle.get_text()
        self.assertIn("300 samples, 6 values of C from $10^{-2}$ to $10^{3}$ × 4 of gamma, 5 folds, tolerance 0.001, one core", heading)
        self.assertIn("ran 12 of the 24 cells; their times are scaled up", heading)
        whole = self.draw(self.figures_file("whole.json", sample=24))
        self.assertNotIn("scaled up", whole._suptitle.get_text())
        self.assert_readable(figure)

    def test_many_peers_and_families_and_one_of_each_are_readable(self):
        tools = {name.replace("-", "_"): figures([1.5 + k, 2.5 + k], bound=k % 3 == 0) for k, name in enumerate(plot_peers.TOOLS)}
        many = {f"a family of data {k}": family(2 + k, **tools) for k in range(13)}
        self.assert_readable(self.draw(self.figures_file("many.json", many)))
        for ratio in (0.01, 1.0, 30000.0):
            one = {"moons": family(2, gap=figures([ratio], bound=ratio > 1))}
            self.assert_readable(self.draw(self.figures_file("one.json", one)))

    def test_files_of_other_peers_and_tolerances_share_a_chart(self):
        other = {"moons": family(2, libsvm=figures([3.0])), "rare": family(2, liquidsvm=figures([7.0]))}
        files = [self.figures_file("figures.json"), self.figures_file("other.json", other, tolerance=1e-5)]
        figure = self.draw(*files)
        labels = legend_labels(figure)
        for label in ("LIBSVM, one-vs-one (tolerance 1e-5)", "liquidSVM (tolerance 0.001)", "liquidSVM (tolerance 1e-5)"):
            self.assertIn(label, labels)
        self.assertNotIn("tolerance", figure._suptitle.get_text())
        self.assertEqual([text.get_text() for text in figure.axes[0].get_yticklabels()], ["moons", "letters (30 classes)", "rare"])

    def test_prints_the_range_of_each_peer_and_writes_every_format(self):
        file = self.figures_file("figures.json")
        found = self.run_tool(file, "-o", self.folder / "ratios.png")
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertRegex(found.stdout, r"scikit-learn, one-vs-rest +tolerance 0.001 +families: 2 +ratio 6.00 \(letters\) to >= 45.0 \(moons\)")
        self.assertRegex(found.stdout, r"TorchKM +tolerance 0.001 +families: 1 +ratio 900 \(moons\)")
        self.assertGreater(min(png_size(self.folder / "ratios.png")), 400)
        for ending in ("svg", "pdf"):
            pictures = [self.folder / f"{name}.{ending}" for name in ("a", "b")]
            for picture in pictures:
                self.assertEqual(self.run_tool(file, "--format", ending, "-o", picture.with_suffix("")).returncode, 0)
            self.assertEqual(pictures[0].read_bytes(), pictures[1].read_bytes())

    def test_refuses_what_it_would_misread(self):
        file = self.figures_file("figures.json")
        earlier, text, array = (self.folder / name for name in ("earlier.json", "text.json", "array.json"))
        earlier.write_text(json.dumps({"settings": {}, "rows": {"moons": [["moons", "liquidsvm", "1.2", "1.1", ""]]}}))
        text.write_text("no JSON")
        array.write_text("[1]")
        for arguments, said in (
            ([earlier], "(an earlier bench_peers wrote it, as texts) measure again"),
            ([text], f"cannot read {text}"),
            ([array], "(it has no figures of families in this form)"),
            ([self.folder / "none.json"], "No such file"),
            ([file, self.figures_file("other.json", grid=[6, 6])], "is of another search than"),
            ([file, self.figures_file("again.json")], "has liquidsvm on moons again"),
            ([self.figures_file("alone.json", {"moons": family(2)})], "(only krossfold was measured)"),
        ):
            with self.subTest(said):
                self.assert_refused(said, arguments=[*arguments, "-o", self.folder / "ratios.png"])


if __name__ == "__main__":
    unittest.main()
