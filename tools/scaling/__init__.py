# SPDX-License-Identifier: BSD-3-Clause
"""What tools/scaling_study and tools/plot_scaling share. Importing it finds h5py, numpy as np and the package krossfold.

formations: their names and launchers.  rules: how work grows with the ranks.  runs: one run, timed.  intervals: medians with their
confidence.  table: what a study says.  study_file: the HDF5 file.  batch: job arrays.  arguments: the command line of scaling_study.
"""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
try:
    import h5py
    import numpy as np
except ImportError as missing:
    if os.path.realpath(sys.executable) != os.path.realpath("/usr/bin/python3") and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    print(f"{os.path.basename(sys.argv[0])}: cannot start ({missing}) run tools/setup, or install h5py", file=sys.stderr)
    sys.exit(2)

__all__ = ["h5py", "np"]
