#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/plot_ensemble on small result files made here, whole, unfinished, damaged and hostile."""

import pathlib
import unittest

from plot_case import PlotCase, legend_labels, lines_named, load_tool, np, result_bytes

plot_ensemble = load_tool("plot_ensemble")


def content(networks=5, tests=120, classes=4):
    random = np.random.default_rng(3)

    def answers(images):
        logits = random.normal(size=(networks, images, classes)) * 2
        return (np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)).astype(np.float32)

    shown = 103
    return {
        "/class_name": np.array([f"class {c}".encode() for c in range(classes)]),
        "/shown/role": np.array([b"first"] * 100 + [b"most certain", b"most doubtful", b"photograph-like"]),
        "/shown/image": random.integers(0, 17, size=(shown, 1, 8, 8)).astype(np.float32),
        "/shown/test": np.array([*range(100), 7, 119, -1], dtype=np.int32),
        "/shown/ood": np.array([-1] * 102 + [30], dtype=np.int32),
        "/ensemble/label": random.integers(0, classes, tests).astype(np.int32),
        "/ensemble/vote": random.integers(0, classes, tests).astype(np.int32),
        "/ensemble/probability": answers(tests),
        "/ood/probability": answers(40),
        "/ood/threshold": np.array([0.4, 0.1, 0.3]),
    }


class PlotEnsemble(PlotCase):
    tool = "plot_ensemble"

    def setUp(self):
        super().setUp()
        self.file = self.folder / "bag.h5"

    def draw(self, values, *options):
        self.file.write_bytes(result_bytes(values, data="digits"))
        return self.run_tool(self.file, *options)

    def ensemble(self, values):
        self.file.write_bytes(result_bytes(values, data="/a/digits"))
        return plot_ensemble.Ensemble(self.file)

    def pictures(self):
        return sorted(path.name for path in self.folder.glob("**/*.png"))

    def test_draws_boxes_of_three_images_and_the_sheet(self):
        result = self.draw(content())
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        names = ["bag_most_certain.png", "bag_most_doubtful.png", "bag_photograph-like.png", "bag_sheet.png"]
        self.assertEqual(self.pictures(), names)
        self.assertEqual(sorted(pathlib.Path(line).name for line in result.stdout.split()), names)
        for name in names:
            self.assertTrue((self.folder / name).read_bytes().startswith(b"\x89PNG"))

    def test_networks_without_an_answer_are_left_out(self):
        values = content()
        values["/ensemble/probability"][2] = np.nan
        values["/ood/probability"][2] = np.nan
        self.assertEqual(self.draw(values, "-o", self.folder / "new").returncode, 0)

    def test_colour_images_and_files_without_a_threshold(self):
        values = content()
        values["/shown/image"] = np.repeat(values["/shown/image"], 3, axis=1)
        values["/shown/image"][0, 0] = 16  # red
        values["/shown/image"][0, 1:] = 0
        del values["/ood/threshold"]
        self.assertEqual(self.draw(values).returncode, 0)
        shown = plot_ensemble.draw_sheet(self.ensemble(values)).axes[0].images[0].get_array()
        np.testing.assert_array_equal(shown, np.broadcast_to([1.0, 0, 0], (8, 8, 3)))

    def test_grey_images_are_the_lighter_the_larger_their_values(self):
        values = content()
        values["/shown/image"][0, 0] = np.linspace(0, 16, 64).reshape(8, 8)
        image = plot_ensemble.draw_sheet(self.ensemble(values)).axes[0].images[0]
        light = image.cmap(image.norm(image.get_array()))[:, :, 0].ravel()
        self.assertTrue((np.diff(light) >= 0).all() and light[0] == 0 and light[-1] == 1)

    def test_what_does_not_fit_is_refused_and_nothing_written(self):
        for name in content():
            values = content()
            if name == "/ood/threshold":
                continue
            del values[name]
            result = self.draw(values)
            self.assertEqual(result.returncode, 2, name)
            self.assertIn("plot_ensemble:", result.stderr)
            self.assertIn("krossfold bag", result.stderr)
            self.assertNotIn("Traceback", result.stderr)
        for name, index, value in (("/shown/test", 3, 120), ("/shown/ood", 102, 40), ("/ensemble/vote", 0, 4),
                                   ("/ensemble/label", 5, -1)):
            values = content()
            values[name][index] = value
            result = self.draw(values)
            self.assertEqual(result.returncode, 2, name)
            self.assertIn("do not fit together", result.stderr)
        self.assertEqual(self.pictures(), [])

    def test_few_networks_are_points_and_many_are_boxes_of_each_class(self):
        for networks in (1, 5, 12):
            values = content(networks)
            ensemble = self.ensemble(values)
            figure = plot_ensemble.draw_boxes(ensemble, 101)  # shows test image 119
            axes = figure.axes[0]
            points = lines_named(axes, "points")
            if networks < 10:
                found = np.stack([line.get_ydata() for line in points])
                np.testing.assert_allclose(found, values["/ensemble/probability"][:, 119].T)
            else:
                self.assertEqual((len(points), len(axes.patches)), (0, 4))
            truth = values["/ensemble/label"][119]
            self.assertIn(f"true class (class {truth})", legend_labels(figure))
            heading = figure._suptitle.get_text()
            self.assertTrue(heading.startswith("digits: most doubtful (test image 119)"), heading)
            mean = values["/ensemble/probability"][:, 119].astype(float).mean(axis=0)
            self.assertIn(f"entropy {-np.sum(mean * np.log(mean)):.3f} nats", heading)
            self.assert_readable(figure)

    def test_equal_answers_stay_visible(self):
        values = content(12)
        values["/ensemble/probability"][:] = [1, 0, 0, 0]
        values["/ensemble/probability"][::2, :, 0] -= 0.004  # boxes that are lower than the line of their median
        values["/ensemble/probability"][::2, :, 1] += 0.004
        figure = plot_ensemble.draw_boxes(self.ensemble(values), 101)
        self.assertEqual(len(lines_named(figure.axes[0], "flat box")), 4)

    def test_two_and_thirty_classes_are_readable(self):
        for classes in (2, 30):
            values = content(12, classes=classes)
            values["/class_name"] = np.array([f"a rather long name {c}".encode() for c in range(classes)])
            ensemble = self.ensemble(values)
            for shown in (100, 102):
                self.assert_readable(plot_ensemble.draw_boxes(ensemble, shown))
            figure = plot_ensemble.draw_sheet(ensemble)
            wrong = int(np.sum(values["/ensemble/vote"][:100] != values["/ensemble/label"][:100]))
            self.assertIn(f"{wrong} wrong", figure._suptitle.get_text())
            self.assert_readable(figure)

    def test_damage_is_told(self):
        self.draw(content())
        data = bytearray(self.file.read_bytes())
        data[len(data) // 2] ^= 1
        self.file.write_bytes(data)
        result = self.run_tool(self.file)
        self.assertEqual(result.returncode, 2)
        self.assertIn("damaged", result.stderr)


if __name__ == "__main__":
    unittest.main()
