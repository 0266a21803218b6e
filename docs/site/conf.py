# SPDX-License-Identifier: BSD-3-Clause
"""The documentation as a web site: the Markdown files of the tree as they are, in reading order (index.md)."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

project = "Krossfold"
version = release = re.search(r"project\(\s*\w+\s+VERSION\s+([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
html_title = f"Krossfold {version}"
extensions = ["myst_parser"]
myst_heading_anchors = 4  # as GitHub makes them
root_doc = "docs/site/index"
include_patterns = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md", "docs/site/index.md", "examples/README.md", "python/README.md", "SECURITY.md"]
exclude_patterns = ["build", ".git"]
html_theme = "alabaster"
html_theme_options = {"description": "Cross-validated model selection on CPUs and GPUs", "page_width": "1200px", "fixed_sidebar": True}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_show_copyright = False
html_copy_source = False
html_extra_path = ["root"]  # index.html, which leads to docs/site/index.html
