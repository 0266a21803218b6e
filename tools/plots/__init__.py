# SPDX-License-Identifier: BSD-3-Clause
"""What the tools tools/plot_* share. Importing it finds h5py, numpy as np, matplotlib.pyplot as plt, without a screen.

style: colours, headings, legends, ticks, boxes.  command: arguments, output, messages.
svm_search, predictions, same_data: what result files hold.  curves: ROC, precision and recall, calibration.
"""

import os
import pathlib
import sys

# The reader of result files is the package krossfold of this source tree, installed or not.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))

try:
    import h5py
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np
except ImportError as missing:
    # Another python3 may come first in PATH; tools/setup installs the modules for Debian's.
    if os.path.realpath(sys.executable) != os.path.realpath("/usr/bin/python3") and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    print(f"{os.path.basename(sys.argv[0])}: cannot draw ({missing}) run tools/setup, or install h5py and matplotlib", file=sys.stderr)
    sys.exit(2)

__all__ = ["h5py", "np", "plt"]
