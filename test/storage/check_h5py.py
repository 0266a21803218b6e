# SPDX-License-Identifier: BSD-3-Clause
"""Reads the sample file of test/storage/sample_container.hpp as a user of h5py would; asserts what it holds."""
import sys

import h5py
import numpy as np

with h5py.File(sys.argv[1], "r") as f:
    assert f.attrs["kind"] == "svm"
    assert f.attrs["schema_version"] == 2
    assert f.attrs["command_line"] == "krossfold svm --data κ.csv"
    assert f.attrs["seed"] == -9007199254740993
    assert f.attrs["seconds"] == 0.1
    assert f.attrs["hosts"] == ""
    assert len(f.attrs["long"]) == 1500

    error = f["fold_error"]
    assert error.shape == (3, 4, 2) and error.dtype == np.float64 and error.fletcher32
    expected = np.arange(24) / 64.0
    expected[5] = np.nan
    np.testing.assert_array_equal(error[()].ravel(), expected)
    assert error.attrs["units"] == "1"
    assert error.attrs["long_name"] == "fraction of the held-out samples misclassified"

    assert [len(d) for d in error.dims] == [1, 1, 0]
    assert error.dims[0].keys() == ["gamma"] and error.dims[1].keys() == ["C"]
    np.testing.assert_array_equal(error.dims[0][0][()], [1e-6, 1e-4, 0.01])
    np.testing.assert_array_equal(error.dims[1]["C"][()], [0.001, 1, 1000, 1e6])
    assert h5py.h5ds.is_scale(f["search/gamma"].id) and not h5py.h5ds.is_scale(error.id)
    np.testing.assert_array_equal(f["unit/rank"].dims[0]["gamma"][()], f["search/gamma"][()])

    assert list(f["class_name"].asstr()[()]) == ["0", "größer", ""]
    assert f["name"].asstr()[()] == "digits"
    assert f["best/gamma"][()] == 1e-4 and f["best/C_index"][()] == 2
    assert f["fit/iterations"][1, 0] == 1 << 62
    assert f["model/support"].dtype == np.float32 and f["model/support"][1, 2] == np.float32(0.1)
    assert f["nothing"].shape == (0,) and f["test/nothing"].shape == (2, 0, 3)
