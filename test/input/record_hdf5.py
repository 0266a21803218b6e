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

with h5py.File(folder / "marks.h5", "w") as file:  # what attributes say of missing values
    def array(name, dtype, mark, **attributes):
        values = tenths.astype(dtype)
        values[2, 1] = mark
        file[name] = values
        file[name].attrs.update(attributes)

    file["y"] = names.astype("S")
    for kind, fill in (("f4", np.float32(-999.9)), ("f8", -999.9), ("list", [-8888.0, -999.9])):
        for dtype in ("f2", "f4", "f8"):
            if (dtype, kind) != ("f8", "f4"):
                array(f"floats/{dtype}_by_{kind}", dtype, -999.9, missing_value=fill)
    for kind, fill in (("i2", np.int16(-99)), ("i8", -99), ("f8", -99.0), ("list", [-88, -99])):
        for dtype in ("i1", "i4", "f4"):
            array(f"whole/{dtype}_by_{kind}", dtype, -99, missing_value=fill)
    array("text", "f4", 5, missing_value="none", valid_range="0 to 9", valid_max=[8.0, 9.0])
    array("empty_range", "u1", 5, valid_range=np.array([0, -1], "i1"))
    array("range", "f4", 200, valid_range=[0.0, 150.0])
    array("lowest", "i2", -3, valid_min=np.int16(0))
    array("highest", "u8", 2**64 - 1, valid_max=np.uint64(2**64 - 2))
    array("packed", "i2", 5, scale_factor=[0.1, 0.2])
    array("largest", "f4", 3.4028235e38, missing_value=3.4028235e38)  # rounded up, beyond the largest number of float32
    array("no_number", "i2", 5, missing_value=h5py.Empty("f8"), scale_factor=h5py.Empty("f4"))
    file["long"] = 2**53 + np.arange(17) % 2
    file["long"].attrs["_FillValue"] = -1
    file["letters"] = y.reshape(1, -1).astype("u2") + ord("a")
    file["letters"].attrs["MATLAB_class"] = np.bytes_("char")
    file["nothing"] = np.array([0, 4], "u8")
    file["nothing"].attrs.update({"MATLAB_class": np.bytes_("double"), "MATLAB_empty": np.uint8(1)})
    file["no_features"] = np.zeros((17, 0))

with h5py.File(folder / "unsigned.nc", "w") as file:  # NC_FILL_USHORT, NC_FILL_UINT and NC_FILL_UINT64
    file.attrs["_NCProperties"] = "version=2,h5netcdf=1.1.0"
    file["kind"] = names.astype("S")
    for dtype, never in (("u2", 65535), ("u4", 4294967295), ("u8", 2**64 - 2)):
        values = tenths.astype(dtype)
        values[4, 3] = never
        file[dtype] = values
    values = tenths.astype("i4")
    values[4, 3] = -2147483647  # NC_FILL_INT
    file["marked"] = values
    file["marked"].attrs["missing_value"] = np.int32(-2147483647)
