#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/plot_svm on small result files made here, whole, unfinished, damaged and hostile."""

import importlib.machinery
import io
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import types
import unittest

try:
    import h5py
    import numpy as np
except ImportError:
    # Another python3 may come first in PATH; tools/setup installs the modules for Debian's.
    if os.path.realpath(sys.executable) == os.path.realpath("/usr/bin/python3"):
        raise
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "plot_svm"
sys.path.insert(0, str(TOOL.parent))
import result_file  # noqa: E402

plot_svm = types.ModuleType("plot_svm")
importlib.machinery.SourceFileLoader("plot_svm", str(TOOL)).exec_module(plot_svm)


def search_content(c_values=24, gamma_values=24, folds=5):
    """A grid with a valley; the best cell is the smallest mean error."""
    random = np.random.default_rng(7)
    log_c, log_gamma = np.linspace(-3, 6, c_values), np.linspace(-5, -1, gamma_values)
    valley = 0.02 + 0.8 / (1 + np.exp(2 * (log_c[None, :] + log_gamma[:, None] + 3)))
    error = valley[:, :, None] * (1 + 0.1 * random.standard_normal((gamma_values, c_values, folds)))
    best = np.unravel_index(error.mean(axis=2).argmin(), error.shape[:2])
    return {
        "/C": 10**log_c,
        "/gamma": 10**log_gamma,
        "/fold_error": error,
        "/best/gamma_index": np.int32(best[0]),
        "/best/C_index": np.int32(best[1]),
    }


def result_bytes(content, edit=lambda file: None):
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        for name, value in content.items():
            file[name] = value
        file.attrs["n_train"] = 1438
        edit(file)
    rest = stream.getvalue()
    return result_file.user_block(rest) + rest


def png_size(path):
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is no PNG"
    return struct.unpack(">II", data[16:24])


class PlotSvm(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.file = self.folder / "results.h5"

    def run_tool(self, *arguments):
        command = [sys.executable, "-W", "error::RuntimeWarning", str(TOOL), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=100)

    def assert_drawn(self, folder, *arguments):
        result = self.run_tool(self.file, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        expected = [folder / "results_heatmap.png", folder / "results_boxplot.png"]
        self.assertEqual(result.stdout.splitlines(), [str(path) for path in expected])
        for path in expected:
            width, height = png_size(path)
            self.assertTrue(700 <= width <= 2000 and 500 <= height <= 1500, (path, width, height))
        return [path.read_bytes() for path in expected]

    def assert_refused(self, *fragments, arguments=()):
        result = self.run_tool(self.file, *arguments)
        self.assertEqual(result.returncode, 2, result.stderr)
        for fragment in (str(self.file), *fragments):
            self.assertIn(fragment, result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(list(self.folder.glob("*.png")), [])

    def test_draws_both_plots_beside_the_file(self):
        self.file.write_bytes(result_bytes(search_content()))
        self.assert_drawn(self.folder)

    def test_draws_into_another_folder(self):
        self.file.write_bytes(result_bytes(search_content(4, 3)))
        self.assert_drawn(self.folder / "a" / "plots", "-o", self.folder / "a" / "plots")

    def test_draws_what_is_there_of_an_unfinished_search(self):
        content = search_content(6, 5)
        content["/fold_error"][0] = np.nan
        content["/fold_error"][2, 3, 1:] = np.nan
        del content["/best/gamma_index"], content["/best/C_index"]
        self.file.write_bytes(result_bytes(content))
        self.assert_drawn(self.folder)
        content["/fold_error"][:] = np.nan
        self.file.write_bytes(result_bytes(content))
        self.assert_drawn(self.folder)

    def test_draws_a_single_cell_and_errors_of_zero(self):
        content = search_content(1, 1)
        content["/fold_error"][:] = 0
        self.file.write_bytes(result_bytes(content))
        self.assert_drawn(self.folder)

    def test_the_best_cell_changes_both_plots(self):
        content = search_content(6, 5)
        self.file.write_bytes(result_bytes(content))
        first = self.assert_drawn(self.folder)
        content["/best/gamma_index"], content["/best/C_index"] = np.int32(0), np.int32(0)
        self.file.write_bytes(result_bytes(content))
        for before, after in zip(first, self.assert_drawn(self.folder)):
            self.assertNotEqual(before, after)

    def test_a_best_cell_between_those_of_the_grid_or_beyond_it_is_drawn_where_it_is(self):
        content = search_content(4, 3)
        content["/best/round"] = np.int32(1)
        content["/best/gamma_index"], content["/best/C_index"] = np.int32(6), np.int32(5)  # of the round, not the grid
        content["/best/gamma_value"], content["/best/error"] = 1e-3, 0.0123
        for c in (12.5, 1e9):
            content["/best/C_value"] = c
            self.file.write_bytes(result_bytes(content))
            self.assert_drawn(self.folder)
            search = plot_svm.Search(self.file, True)
            self.assertIn("1.23 %", search.best_text())
            axes = plot_svm.draw_heatmap(search).axes[0]
            (star,) = (line for line in axes.lines if line.get_label() == "best cell")
            self.assertAlmostEqual(star.get_xdata()[0], np.log10(c))
            self.assertAlmostEqual(star.get_ydata()[0], -3)
            left, right = axes.get_xlim()
            self.assertTrue(left <= np.log10(c) <= right)

    def test_refuses_a_refined_best_cell_without_values(self):
        content = search_content(4, 3)
        content["/best/round"] = np.int32(1)
        self.file.write_bytes(result_bytes(content))
        self.assert_refused("/best/C_value")
        content["/best/C_value"], content["/best/gamma_value"], content["/best/error"] = -1.0, 1e-3, 0.0123
        self.file.write_bytes(result_bytes(content))
        self.assert_refused("/best/C_value")

    def test_the_checksum_is_crc_64_xz(self):
        self.assertEqual(result_file.crc64(b"123456789"), 0x995DC9BBDF1939FA)

    def test_refuses_a_missing_file(self):
        self.assert_refused("No such file")

    def test_refuses_other_files(self):
        self.file.write_bytes(b"label,pixel\n1,2\n" * 100)
        self.assert_refused("not a result file")

    def test_refuses_a_damaged_file_unless_told_otherwise(self):
        data = bytearray(result_bytes(search_content(4, 3)))
        data[-1] ^= 1
        self.file.write_bytes(data)
        self.assert_refused("damaged", "--unverified")
        self.assert_drawn(self.folder, "--unverified")

    def test_refuses_a_truncated_file(self):
        self.file.write_bytes(result_bytes(search_content())[:3000])
        self.assert_refused("damaged")
        self.assert_refused("HDF5", arguments=["--unverified"])

    def test_refuses_a_newer_format(self):
        data = bytearray(result_bytes(search_content(4, 3)))
        data[8] = 200
        self.file.write_bytes(data)
        self.assert_refused("version 200", "update")

    def test_refuses_results_of_another_kind(self):
        content = search_content(4, 3)
        del content["/C"]
        self.file.write_bytes(result_bytes(content))
        self.assert_refused("/C", "krossfold svm")

    def test_refuses_shapes_that_do_not_fit(self):
        content = search_content(4, 3)
        content["/fold_error"] = content["/fold_error"].transpose(1, 0, 2)
        self.file.write_bytes(result_bytes(content))
        self.assert_refused("/fold_error", "(4, 3, 5)")

    def test_refuses_text_where_numbers_belong(self):
        for name in ("/C", "/best/C_index"):
            with self.subTest(name=name):
                self.file.write_bytes(result_bytes({**search_content(4, 3), name: "many"}))
                self.assert_refused(name)

    def test_refuses_a_best_cell_outside_the_grid(self):
        self.file.write_bytes(result_bytes({**search_content(4, 3), "/best/C_index": np.int32(4)}))
        self.assert_refused("best cell")

    def test_follows_no_link_out_of_the_file(self):
        other = self.folder / "other.h5"
        with h5py.File(other, "w") as file:
            file["x"] = np.ones(4)
        content = search_content(4, 3)
        del content["/C"]

        def link(file):
            file["/C"] = h5py.ExternalLink(str(other), "/x")

        self.file.write_bytes(result_bytes(content, link))
        self.assert_refused("/C")

    def test_refuses_sizes_that_would_fill_the_memory(self):
        content = search_content(4, 3)
        del content["/fold_error"]

        def grow(file):
            file.create_dataset("/fold_error", (3, 4, 10**12), dtype="f8", chunks=(1, 1, 1000))

        self.file.write_bytes(result_bytes(content, grow))
        self.assert_refused("/fold_error")

    def test_refuses_a_folder_that_cannot_be_written(self):
        self.file.write_bytes(result_bytes(search_content(4, 3)))
        result = self.run_tool(self.file, "-o", self.file / "plots")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(f"cannot write to {self.file}/plots", result.stderr)


if __name__ == "__main__":
    unittest.main()
