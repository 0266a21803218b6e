#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the HDF5 and netCDF-4 files of test/own_data from flowers.txt, for the tests of the readers.

Recorded with h5py 3.7.0, h5netcdf 1.1.0 and xarray 2023.1.0."""

import pathlib

import h5py
import numpy as np
import xarray

folder = pathlib.Path(__file__).resolve().parent.parent / "own_data"
table = np.loadtxt(folder / "flowers.txt")
F, y = table[:, :4], table[:, 4].astype(int)
names = np.array(["setosa", "versicolor", "virginica"])[y]
tenths = (F * 10).round()

with h5py.File(folder / "flowers.h5", "w") as file:
    file["x"] = F
    file["y"] = names.astype(object)  # text of variable length
    file["labels/bytes"] = names.astype("S")
    file["labels/numbers"] = y.astype("u1")
    file["labels/column"] = y.reshape(-1, 1)
    file["labels/truth"] = y == 0
    for dtype in ("<f8", ">f8", "<f4", ">f4"):
        file[f"floats/{'big' if dtype[0] == '>' else 'little'}_{dtype[1:]}"] = F.astype(dtype)
    for dtype in ("i1", ">i2", "<i4", "<i8", "u1", "<u2", ">u4", "<u8", "<f2"):
        file[f"tenths/{dtype.strip('<>')}"] = tenths.astype(dtype)
    # Small chunks that divide neither the rows nor the columns, compressed.
    file.create_dataset("chunked", data=F, chunks=(5, 3), compression="gzip", shuffle=True, fletcher32=True)
    file.create_dataset("images", data=tenths.reshape(-1, 2, 2).astype("u1"))
    file["with_label"] = table
    hole = F.copy()
    hole[2, 1] = np.nan
    file["hole"] = hole
    file["one"] = 3.0
    file["complex"] = F.astype(complex)
    file["deep"] = np.zeros((17, 2, 2, 2))

with h5py.File(folder / "flowers_matlab.mat", "w") as file:  # as MATLAB saves with -v7.3: the first index runs fastest
    for name, array in (("X", F), ("y", y.reshape(-1, 1).astype(float)), ("Xy", table)):
        file[name] = array.T
        file[name].attrs["MATLAB_class"] = np.bytes_("double")

data = xarray.Dataset({"measure": (("flower", "property"), F), "kind": (("flower",), names),
                       "coded": (("flower", "property"), tenths.astype("i2")),
                       "packed": (("flower", "property"), F)})
data["coded"].attrs["_FillValue"] = np.int16(14)  # the third flower's third property, and others, count as missing
data.to_netcdf(folder / "flowers.nc", engine="h5netcdf",
               encoding={"packed": {"dtype": "i2", "scale_factor": 0.1}, "kind": {"dtype": "S1"}})

fills = xarray.Dataset({"old": (("flower", "property"), tenths.astype("i2")), "never": (("flower", "property"), F),
                        "count": (("flower", "property"), tenths.astype("i4")),
                        "unsigned": (("flower", "property"), tenths.astype("i1")), "kind": (("flower",), names)})
fills["old"].attrs["missing_value"] = np.int16(14)
fills["never"][2, 1] = np.float64(9.969209968386869e36)  # NC_FILL_DOUBLE: where netCDF wrote nothing
fills["count"][4, 3] = -2147483647  # NC_FILL_INT
fills["unsigned"].attrs["_Unsigned"] = "true"
fills.to_netcdf(folder / "fills.nc", engine="h5netcdf",
                encoding={"kind": {"dtype": "S1"}, **{name: {"_FillValue": None} for name in ("old", "never", "count", "unsigned")}})
