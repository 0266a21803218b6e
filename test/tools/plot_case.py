# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the tools that draw share: result files made here, the tools as modules, and what holds of every figure."""

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

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
from matplotlib.text import Text  # noqa: E402
from plots import plt  # noqa: E402
from krossfold import result_file  # noqa: E402


def load_tool(name):
    """A tool as a module; its name has no ending."""
    module = types.ModuleType(name)
    module.__file__ = str(TOOLS / name)
    sys.modules[name] = module  # where dataclasses look for it
    importlib.machinery.SourceFileLoader(name, module.__file__).exec_module(module)
    return module


def result_bytes(content, edit=lambda file: None, **attributes):
    """A result file with the datasets of `content` and the attributes."""
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        for name, value in content.items():
            file[name] = value
        file.attrs["n_train"] = 1438
        for name, value in attributes.items():
            file.attrs[name] = value
        edit(file)
    rest = stream.getvalue()
    return result_file.user_block(rest) + rest


def names(*words):
    return np.array([word.encode() for word in words])


def png_size(path):
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is no PNG"
    return struct.unpack(">II", data[16:24])


def shown_texts(figure):
    """The texts that are drawn; ticks outside of the view are not."""
    hidden = set()
    for axes in figure.findobj(plt.Axes):
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            slack = 1e-6 * (high - low)
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not low - slack <= tick.get_loc() <= high + slack or not axes.axison or not axis.get_visible():
                    hidden.update((id(tick.label1), id(tick.label2)))
    return [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip() and id(text) not in hidden]


def overlapping_texts(figure):
    """Pairs of texts whose letters overlap, and texts that are cut off by the border of the figure."""
    figure.canvas.draw()
    boxes = [(text.get_text(), text.get_window_extent(figure.canvas.get_renderer())) for text in shown_texts(figure)]
    found = []
    for k, (text, box) in enumerate(boxes):
        if box.x0 < -1 or box.y0 < -1 or box.x1 > figure.bbox.x1 + 1 or box.y1 > figure.bbox.y1 + 1:
            found.append((text, "beyond the border"))
        for other, its in boxes[:k]:
            if min(box.x1, its.x1) - max(box.x0, its.x0) > 1 and min(box.y1, its.y1) - max(box.y0, its.y0) > 1:
                found.append((text, other))
    return found


def lines_named(axes, gid):
    return [line for line in axes.get_lines() if line.get_gid() == gid]


def legend_labels(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


class PlotCase(unittest.TestCase):
    """Files of its own in a folder of its own; `tool` is the name of the one tested."""

    tool = ""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.addCleanup(plt.close, "all")
        self.folder = pathlib.Path(temporary.name)

    def run_tool(self, *arguments):
        command = [sys.executable, "-W", "error::RuntimeWarning", str(TOOLS / self.tool), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=100)

    def write(self, name, content, **attributes):
        path = self.folder / name
        path.write_bytes(result_bytes(content, **attributes))
        return path

    def assert_refused(self, *fragments, arguments):
        result = self.run_tool(*arguments)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertTrue(result.stderr.startswith(f"{self.tool}: "), result.stderr)
        for fragment in fragments:
            self.assertIn(str(fragment), result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        self.assertEqual(result.stdout, "")
        for ending in ("png", "svg", "pdf"):
            self.assertEqual(list(self.folder.glob(f"*.{ending}")), [])

    def assert_readable(self, figure):
        self.assertEqual(overlapping_texts(figure), [])
