#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Training data that cannot be used."""

import gzip
import struct
import unittest

import h5py

from invalid_case import InvalidCase


def idx_images(count, side=4, magic=0x803):
    pixels = bytes((37 * i) % 256 for i in range(count * side * side))
    return struct.pack(">4I", magic, count, side, side) + pixels


def idx_labels(count, magic=0x801):
    return struct.pack(">2I", magic, count) + bytes(i % 3 for i in range(count))


def csv_lines(count, classes=3):
    return [f"{i},{i * i % 7},{i % 5}.5,{i % classes}" for i in range(count)]


class Input(InvalidCase):
    def csv(self, lines, name="data.csv"):
        (self.folder / name).write_text("\n".join(lines) + "\n")
        return f"csv:{name}"

    def idx(self, images, labels):
        (self.folder / "images").write_bytes(images)
        (self.folder / "labels").write_bytes(labels)
        return "idx:images,labels"

    def test_missing_file(self):
        for spec in ("csv:nothing.csv", "libsvm:nothing.csv", "idx:nothing.csv,labels"):
            self.check_study_refused("--data", spec, says=["cannot read nothing.csv", "(No such file or directory)"])

    def test_folder_instead_of_a_file(self):
        (self.folder / "a_folder").mkdir()
        self.check_study_refused("--data", "csv:a_folder", says=["cannot read a_folder", "it is a folder"])

    def test_empty_file(self):
        (self.folder / "empty.csv").touch()
        self.check_study_refused("--data", "csv:empty.csv", says=["empty.csv holds no samples", "it is empty"])

    def test_truncated_gz(self):
        whole = gzip.compress("\n".join(csv_lines(200)).encode())
        (self.folder / "cut.csv.gz").write_bytes(whole[:len(whole) // 2])
        self.check_study_refused("--data", "csv:cut.csv.gz", says=["cut.csv.gz is cut off", "Fetch the file again"])

    def test_damaged_gz(self):
        whole = bytearray(gzip.compress("\n".join(csv_lines(200)).encode()))
        whole[len(whole) // 2] ^= 0xff
        (self.folder / "bad.csv.gz").write_bytes(whole)
        self.check_study_refused("--data", "csv:bad.csv.gz", says=["bad.csv.gz"])

    def test_hdf5_labels_that_are_no_array(self):
        with h5py.File(self.folder / "other.h5", "w") as other:
            other["y"] = [0, 1] * 20
        for name, label in (("link.h5", h5py.ExternalLink("other.h5", "/y")), ("lost.h5", h5py.SoftLink("/nowhere"))):
            with h5py.File(self.folder / name, "w") as file:
                file["x"] = [[i, i % 3, i % 2] for i in range(40)]
                file["y"] = label
        with h5py.File(self.folder / "group.h5", "w") as file:
            file["x"] = [[i, i % 3, i % 2] for i in range(40)]
            file.create_group("y")
        for name in ("link.h5", "lost.h5", "group.h5"):
            self.check_study_refused("--data", f"hdf5:{name}", says=[f"{name}: /y is no array", "hdf5:FILE:X,Y"])

    def test_hdf5_array_that_was_written_in_part(self):
        with h5py.File(self.folder / "half.h5", "w") as file:
            file["x"] = [[i, i % 3] for i in range(40)]
            file.create_dataset("y", (40,), "i4", chunks=(7,))[:20] = [i % 2 for i in range(20)]
            file.create_dataset("filled", (40,), "i4", chunks=(7,), fillvalue=2)[:20] = [i % 2 for i in range(20)]
        self.check_study_refused("--data", "hdf5:half.h5", says=["half.h5", "/y", "only 3 of its 6 chunks were written"])
        self.succeed("data", "verify", "hdf5:half.h5:x,filled")

    def test_wrong_idx_magic(self):
        spec = self.idx(idx_images(20, magic=0x802), idx_labels(20))
        self.check_study_refused("--data", spec, says=["images is not an IDX file of images", "it holds unsigned bytes in 2 dimensions; images are unsigned bytes in 3"])
        spec = self.idx(idx_images(20), idx_labels(20, magic=0x1234))
        self.check_study_refused("--data", spec, says=["labels is not an IDX file of labels", "0x00001234", "0x00000801"])

    def test_idx_images_and_labels_the_wrong_way_round(self):
        self.idx(idx_images(20), idx_labels(20))
        self.check_study_refused("--data", "idx:labels,images", says=["Write idx:IMAGES,LABELS"])

    def test_idx_without_labels(self):
        self.idx(idx_images(20), idx_labels(20))
        self.check_study_refused("--data", "idx:images", says=["no labels", "idx:IMAGES,LABELS"])

    def test_image_and_label_counts_differ(self):
        spec = self.idx(idx_images(20), idx_labels(19))
        self.check_study_refused("--data", spec, says=["images holds 20 images", "labels holds 19 labels"])

    def test_idx_shorter_or_longer_than_its_header_says(self):
        spec = self.idx(idx_images(20)[:-1], idx_labels(20))
        self.check_study_refused("--data", spec, says=["images is cut off", "20 images of 4 x 4 pixels"])
        spec = self.idx(idx_images(20) + b"x", idx_labels(20))
        self.check_study_refused("--data", spec, says=["images is longer than its header says"])

    def test_idx_of_absurd_sizes(self):
        spec = self.idx(struct.pack(">4I", 0x803, 0xffffffff, 0xffffffff, 0xffffffff), idx_labels(20))
        self.check_study_refused("--data", spec, says=["images is cut off"])

    def test_nan_and_infinite_features(self):
        for word, why in (("nan", "missing"), ("inf", "not a finite number"), ("-Infinity", "not a finite number")):
            lines = csv_lines(20)
            lines[6] = f"1,{word},3,0"
            spec = self.csv(lines)
            self.check_study_refused("--data", spec, says=["data.csv, line 7, column 2", why])

    def test_feature_that_is_no_number(self):
        lines = csv_lines(20)
        lines[6] = "1,2,cat,0"
        spec = self.csv(lines)
        self.check_study_refused("--data", spec, says=["data.csv, line 7, column 3", "'cat' is not a number"])

    def test_missing_feature(self):
        lines = csv_lines(20)
        lines[6] = "1,,3,0"
        self.check_study_refused("--data", self.csv(lines), says=["data.csv, line 7, column 2", "missing"])

    def test_missing_label(self):
        lines = csv_lines(20)
        lines[6] = "1,2,3,NA"
        self.check_study_refused("--data", self.csv(lines), "--label", "4",
                                 says=["data.csv, line 7, column 4", "the label is missing", "--missing mean or median leaves out"])
        self.check_study_refused("--data", self.csv(lines), says=["the last column was taken for the label", "--label NAME"])
        self.check_study_refused("--data", self.csv(["x,y", "1,", "2,"]), "--label", "y", "--missing", "mean", says=["data.csv holds no samples to use", "2 lack a label"])
        self.check_study_refused("--data", self.csv(["x,y", "1,a", "2,", "3,"]), "--missing", "mean", says=["2 of 3 samples lack a label", "--label NAME"])
        self.check_study_refused("--data", self.csv(["x,y", ",a", "2,"]), "--missing", "drop", says=["data.csv holds no complete samples", "--drop"])

    def test_lines_with_a_field_more_than_the_header(self):
        for lines, says in ((["x,y,k", "1,36,6,a", "2,37,9,b"], "decimal commas"), (["x,k", "1,2,", "3,4,"], "Remove the delimiter at the end"),
                            (["x;y;k", "1;5;6;a", "1;7;9;b"], "'1' is there twice"), (["x y k", "3 5 6 a", "3.5 7 9 b"], "words or whole numbers"),
                            (["x;k", "1;5;a", "2;7;b", "3;7"], "line 4 has other fields")):
            self.check_study_refused("--data", self.csv(lines), says=["data.csv, line 2 has", says])

    def test_lines_of_unequal_length(self):
        lines = csv_lines(20)
        lines[6] = "1,2,0"
        self.check_study_refused("--data", self.csv(lines), says=["data.csv, line 7 has 3 fields", "line 1 has 4"])

    def test_libsvm_index_out_of_order(self):
        (self.folder / "data.libsvm").write_text("0 1:1 2:2\n1 2:1 1:2\n")
        self.check_study_refused("--data", "libsvm:data.libsvm", says=["data.libsvm, line 2"])

    def test_libsvm_without_labels(self):
        (self.folder / "data.libsvm").write_text("1:1 2:2\n1:3 2:1\n")
        self.check_study_refused("--data", "libsvm:data.libsvm", says=["data.libsvm, line 1", "label"])

    def test_libsvm_of_features_that_may_be_counted_otherwise(self):
        (self.folder / "train.svm").write_text("0 0:1 1:2\n1 0:2 1:1\n" * 10)
        (self.folder / "test.svm").write_text("0 1:1\n1 1:1 2:2\n")
        self.check_study_refused("--data", "libsvm:train.svm", "--test", "libsvm:test.svm",
                                 says=["test.svm, line 2: there is no feature 2", "2 features, from 0", "it has no index 0", "zero_based=True"])

    def test_file_of_matlab_that_is_no_hdf5(self):
        (self.folder / "d.mat").write_bytes(b"MATLAB 5.0 MAT-file Platform: posix".ljust(400))
        self.check_study_refused("--data", "hdf5:d.mat:X,y", says=["d.mat is not a readable HDF5 file", "MAT-file of version 5", "-v7.3"])

    def test_commas_that_may_separate_thousands(self):
        spec = self.csv(["amount,n,kind"] + ['"1,518",17,a', "668,2,b"] * 10)
        self.check_study_refused("--data", spec, says=["line 2, column 1 (amount): '1,518' has a comma (it may separate thousands",
                                                       "Write numbers without separators of thousands, or say --decimal comma if"])

    def test_tables_without_names_of_widths_that_tell_nothing(self):
        train = self.csv(["id,p,q,kind,w"] + [f"{i * 7 % 40},{i * i % 11}.5,{i % 9}.25,{'ab'[i % 2]},1" for i in range(40)], "train.csv")
        self.csv(["0.5,2.25,1", "3.5,4.25,0"], "narrow.csv")
        self.check_study_refused("--data", train, "--label", "4", "--drop", "1", "--weight", "5", "--test", "csv:narrow.csv",
                                 says=["narrow.csv has 3 columns", "learnt 2 from a file of 5", "if one of the columns is the label, say --label"])

    def test_names_in_utf_16(self):
        (self.folder / "names.txt").write_text("anna\nbea\ncarl\n", encoding="utf-16")
        self.check_refused("train", "lstm", "--data", "names:names.txt", "-o", "r.h5",
                           says=["names.txt is text in UTF-16", "Save it as UTF-8"])

    def test_one_class_only(self):
        spec = self.csv(csv_lines(20, classes=1))
        self.check_study_refused("--data", spec, says=["fewer than two classes", "'0'"])

    def test_one_class_only_because_of_the_limit(self):
        lines = [line[:-1] + ("0" if i < 10 else "1") for i, line in enumerate(csv_lines(20))]
        self.check_study_refused("--data", self.csv(lines), "--limit", "8", "--test-part", "last", says=["fewer than two classes", "Raise --limit"])

    def test_class_only_in_the_held_out_part(self):
        lines = csv_lines(20)
        lines[-1] = "1,2,3,new"
        self.check_study_refused("--data", self.csv(lines), "--test-part", "last",
                                 says=["'new'", "last fifth", "test-part random"])

    def test_test_data_of_other_features_or_classes(self):
        train = self.csv(csv_lines(20), "train.csv")
        self.csv(["1,2,0", "2,3,1"], "narrow.csv")
        self.check_study_refused("--data", train, "--test", "csv:narrow.csv", says=["narrow.csv", "no labels"])
        self.csv(["1,2,3,7"], "unknown.csv")
        self.check_study_refused("--data", train, "--test", "csv:unknown.csv", says=["'7'", "unknown.csv", "0, 1, 2"])

    def test_more_folds_than_samples(self):
        spec = self.csv(csv_lines(20))
        self.check_study_refused("--data", spec, "--folds", "17", says=["17 folds", "16 training samples"])

    def test_limit_beyond_the_data(self):
        spec = self.csv(csv_lines(20))
        self.check_study_refused("--data", spec, "--limit", "17", says=["limit 17", "data.csv has 16 samples"])

    def test_mnist_that_is_not_there(self):
        self.check_study_refused("--data", "mnist", says=["tools/fetch-mnist"], KROSSFOLD_DATA=self.folder / "none",
                                 XDG_CACHE_HOME=self.folder / "cache")
        self.check_study_refused("--data", "mnist:.", says=["there is no train-", "tools/fetch-mnist"])


if __name__ == "__main__":
    unittest.main()
