#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Models of tables in numpy: columns by name and by position, words, missing values, against `krossfold predict` with the same table."""

import csv
import re
import unittest
import warnings

import numpy
from model_case import ModelTest
from python_case import ROOT, ignore, optional

import krossfold
from krossfold.models.encoding import MISSING, Column, Encoding, is_missing, one_hot, words_of
from krossfold.models.samples import samples_of

(pandas,) = optional("pandas")
HEADER = ["id", "age", "colour", "dose", "site", "outcome"]
STUDY = ("--data", "csv:t.csv", "--label", "outcome", "--drop", "id", "--missing", "mean", "--categorical", "onehot", "--quiet", "-o", "r.h5")
KINDS = {"svm": ("svm", "--grid", "2x2", "--folds", "2", "--probability"), "mlp": ("train", "mlp", "--hidden", "6", "--epochs", "4")}


def people(seed, count, training=True):
    """Rows of words, as they stand in a table: numbers and words are missing here and there."""
    random = numpy.random.default_rng(seed)
    rows = []
    for k in range(count):
        outcome = ("no", "yes", "maybe")[k % 3]
        colours = ("red", "green", "blue") if training else ("red", "green", "blue", "mauve")
        row = [str(1000 + k * k), f"{random.normal(40 + 9 * (k % 3), 5):.2f}", str(random.choice(colours)), f"{random.normal(k % 3):.4f}",
               f"{'abc'[(k + random.integers(2)) % 3]}-1", outcome]  # fmt: skip
        for column in (1, 2, 3):
            if random.random() < 0.1:
                row[column] = str(random.choice(["", "NA", "?"]))
        rows.append(row)
    return rows


def write(path, header, rows):
    with open(path, "w", newline="", encoding="utf8") as file:
        csv.writer(file).writerows([header] * bool(header) + rows)


class Tables(ModelTest):
    @classmethod
    def setUpClass(cls):
        cls.place = cls.share("studies")

    def studies(self):
        write(self.folder / "t.csv", HEADER, people(1, 150))
        for kind, words in KINDS.items():
            self.succeed(*words, *STUDY[:-1], f"{kind}.h5")

    def setUp(self):
        super().setUp()
        ignore(self, UserWarning)

    def forms(self, header, rows):
        """The same table as a dictionary, an array of objects, and a DataFrame as pandas reads it."""
        columns = {name: numpy.array([row[k] for row in rows], dtype=object) for k, name in enumerate(header)}
        numbers = {name: numpy.array([float(word) if word not in MISSING else numpy.nan for word in columns[name]]) for name in ("age", "dose")}
        yield columns
        yield {**columns, **numbers, "colour": numpy.array([None if word in MISSING else word for word in columns["colour"]], dtype=object)}
        if pandas:
            yield pandas.read_csv(self.folder / "new.csv", na_values=["?"])
            yield pandas.read_csv(self.folder / "new.csv", na_values=["?"]).astype({"colour": "category", "age": "Float64"})

    def test_columns_are_found_by_name_words_encoded_and_missing_numbers_filled_in(self):
        rows = people(2, 60, training=False)
        shuffled = [HEADER[k] for k in (3, 2, 4, 1, 0)]  # in another order and without the label
        for header in (HEADER, shuffled):
            own = [[row[HEADER.index(name)] for name in header] for row in rows]
            write(self.folder / "new.csv", header, own)
            for kind in KINDS:
                with self.subTest(kind=kind, header=header):
                    model = self.assert_as_the_program(self.place / f"{kind}.h5", "csv:new.csv", *self.forms(header, own))
                    self.assertEqual(model.classes_.tolist(), ["maybe", "no", "yes"])

    def test_columns_without_names_are_found_by_their_places(self):
        rows = people(3, 40)
        for columns in (range(6), range(1, 5)):  # all, or those of features alone
            own = [[row[k] for k in columns] for row in rows]
            write(self.folder / "new.csv", None, own)
            for kind in KINDS:
                with self.subTest(kind=kind, columns=columns):
                    self.assert_as_the_program(self.place / f"{kind}.h5", "csv:new.csv", numpy.array(own, dtype=object), numpy.array(own))
        for count, message in ((3, "has 3 columns"), (5, "which can be read in two ways")):  # the latter without the label, or without the id
            own = [row[:count] for row in rows]
            write(self.folder / "new.csv", None, own)
            self.assertIn(message, self.run_command("predict", self.place / "svm.h5", "csv:new.csv").err)
            with self.assertRaisesRegex(ValueError, message.replace("has", "have")):
                krossfold.load_model(self.place / "svm.h5").predict(numpy.array(own))

    def test_encoded_features_are_taken_as_they_are(self):
        model = krossfold.load_model(self.place / "mlp.h5")
        rows = people(4, 30)
        table = numpy.array(rows)[:, 1:5]
        encoded = model._samples(table).block(0, 30)
        self.assertEqual(encoded.shape, (30, model.features))
        numpy.testing.assert_array_equal(model.predict_proba(encoded), model.predict_proba(table))
        encoded[3, 0] = numpy.nan  # and what is missing is filled in
        changed = [row[1:5] for row in rows]
        changed[3][0] = ""
        numpy.testing.assert_array_equal(model.predict_proba(encoded), model.predict_proba(numpy.array(changed)))

    def test_numbers_alone_and_the_whole_table_as_an_array(self):
        random = numpy.random.default_rng(5)
        x = random.normal(size=(90, 4)).astype(numpy.float32)
        y = (x[:, 1] > x[:, 3]).astype(int)
        x[random.random(x.shape) < 0.1] = numpy.nan
        whole = numpy.column_stack([numpy.arange(90) * 7 % 90, x, y])
        write(self.folder / "t.csv", None, [["" if numpy.isnan(value) else f"{value:.9g}" for value in row] for row in whole])
        self.succeed("svm", "--grid", "1x1", "--folds", "2", "--data", "csv:t.csv", "--drop", "1", "--missing", "median", "--quiet", "-o", "r.h5")
        self.assert_as_the_program("r.h5", "csv:t.csv", x, whole, {k: x[:, k] for k in range(4)})

    @unittest.skipUnless(pandas, "python3 has no pandas (on Debian: python3-pandas)")
    def test_truth_values_that_pandas_reads_are_the_words_of_the_table(self):
        random = numpy.random.default_rng(11)
        smoker, married = (random.integers(2, size=80) for _ in range(2))
        rows = [[("false", "true")[s], ("FALSE", "TRUE")[m], f"{random.normal():.4f}", ("no", "yes")[s ^ m]] for s, m in zip(smoker, married)]
        write(self.folder / "t.csv", ["smoker", "married", "dose", "y"], rows)
        self.succeed("svm", "--grid", "3x3", "--folds", "2", "--data", "csv:t.csv", "--label", "y", "--categorical", "onehot", "--missing", "mean",
                     "--quiet", "-o", "r.h5")  # fmt: skip
        table = pandas.read_csv(self.folder / "t.csv")
        self.assertEqual([table[name].dtype.kind for name in ("smoker", "married")], ["b", "b"])  # else the test shows nothing
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assert_as_the_program("r.h5", "csv:t.csv", table, table.convert_dtypes(), table.to_numpy(dtype=object))
        rows[3][0] = ""  # pandas then makes objects of the column
        write(self.folder / "t.csv", ["smoker", "married", "dose", "y"], rows)
        self.assert_as_the_program("r.h5", "csv:t.csv", pandas.read_csv(self.folder / "t.csv"))

    def test_what_cannot_be_predicted_is_refused(self):
        model = krossfold.load_model(self.place / "svm.h5")
        good = {name: numpy.array([row[k] for row in people(6, 4)], dtype=object) for k, name in enumerate(HEADER)}
        changes = (({"dose": None}, "lack columns of the model: dose"), ({"dose": ["1", "2", "much", "3"]}, r"X.2., column 4 .dose.: 'much' is no"),
                   ({"colour": [0.5, 1, 2, 3]}, "has the number 0.5 .the model learnt words there"), ({"age": ["1"]}, "differ in"))  # fmt: skip
        for change, message in changes:
            bad = {name: numpy.array(value, dtype=object) for name, value in {**good, **change}.items() if value is not None}
            with self.subTest(change=change), self.assertRaisesRegex(ValueError, message):
                model.predict(bad)
        forms = ((numpy.zeros(4), "have one dimension"), ("three.png", "no dimension .*krossfold predict"), ([[1], [2, 3]], "an array|one dimension"),
                 (numpy.zeros((2, 3), complex), "of the type complex"), (numpy.zeros((2, 2, 2)), "have the shape"))  # fmt: skip
        for x, message in forms:
            with self.subTest(x=x), self.assertRaisesRegex(ValueError, message):
                model.predict(x)

    def test_missing_words_are_refused_where_the_program_refuses_them(self):
        rows = [[str(k % 9), ("red", "green")[k % 2], ("no", "yes")[k % 2]] for k in range(60)]
        write(self.folder / "t.csv", ["dose", "colour", "y"], rows)
        self.succeed("svm", "--grid", "1x1", "--folds", "2", "--data", "csv:t.csv", "--label", "y", "--categorical", "onehot", "--quiet",
                     "-o", "r.h5")  # fmt: skip
        forms = {"": [None, numpy.nan, b"", "NA", numpy.ma.masked], "#WERT!": ["#WERT!", b"#WERT!"]}
        for word, same in forms.items():
            new = [["1", "red", "no"], ["2", word, "no"], ["3", "green", "no"]]
            write(self.folder / "new.csv", ["dose", "colour", "y"], new)
            self.assertRegex(self.run_command("predict", "r.h5", "csv:new.csv").err, "line 3, column 2 .colour.: the value is missing")
            for value in same:
                colour = numpy.ma.array(["red", "x", "green"], dtype=object)
                colour[1] = value
                with self.subTest(value=value), self.assertRaisesRegex(ValueError, "X.1., column 2 .colour.: the value is missing"):
                    krossfold.load_model(self.folder / "r.h5").predict({"dose": numpy.arange(3), "colour": colour})

    def test_masked_values_bytes_and_errors_of_spreadsheets_are_as_in_a_table(self):
        rows = people(8, 40)
        rows[3][1], rows[4][2], rows[5][3], rows[6][2] = "#DIV/0!", "#WERT!", "", "NA"
        write(self.folder / "new.csv", HEADER, rows)
        array = numpy.array([row[1:5] for row in rows], dtype=object)
        missing = numpy.array([[is_missing(word) for word in row] for row in array])
        columns = {name: numpy.array([row[k] for row in rows], dtype=object) for k, name in enumerate(HEADER)}
        guess = numpy.where(missing, "7", array)  # what a mask hides counts for nothing
        masked = {name: numpy.ma.array(guess[:, k], mask=missing[:, k]) for k, name in enumerate(HEADER[1:5])}
        for name in ("age", "dose"):
            masked[name] = numpy.ma.array(masked[name].data.astype(float), mask=masked[name].mask)
        forms = [columns, masked, numpy.ma.array(guess, mask=missing), numpy.ma.array(guess.astype("S"), mask=missing), array.astype("S"),
                 {name.encode(): values.astype("S") for name, values in columns.items()}]  # fmt: skip
        for kind in KINDS:
            model = self.assert_as_the_program(self.place / f"{kind}.h5", "csv:new.csv", *forms)
        encoded = model._samples(array).block(0, 40)
        gaps = numpy.zeros(encoded.shape, bool)
        gaps[3, 0] = gaps[5, model.features - 4] = True
        hidden = numpy.ma.array(numpy.where(gaps, 1e6, encoded), mask=gaps)
        for x in (hidden, list(hidden)):
            numpy.testing.assert_array_equal(model._samples(x).block(3, 4), encoded[3:4])

    def test_masked_numbers_without_a_fill_are_refused(self):
        x = numpy.ma.array(numpy.ones((90, 4)), mask=numpy.zeros((90, 4), bool))
        x[7, 2] = numpy.ma.masked
        numpy.savez(self.folder / "t.npz", x=x.data + numpy.arange(90)[:, None] % 2, y=numpy.arange(90) % 2)
        self.succeed("svm", "--grid", "1x1", "--folds", "2", "--data", "npz:t.npz:x,y", "--quiet", "-o", "r.h5")
        model = krossfold.load_model(self.folder / "r.h5")
        for masked in (x, x.astype(int), x.astype(numpy.float32), {k: x[:, k] for k in range(4)}):
            with self.assertRaisesRegex(ValueError, "X.7., column 3: the value is missing"):
                model.predict(masked)

    def test_times_and_odd_spellings_of_numbers_are_refused(self):
        model = krossfold.load_model(self.place / "svm.h5")
        good = {name: numpy.array([row[k] for row in people(6, 4)], dtype=object) for k, name in enumerate(HEADER)}
        times = numpy.array(["2020-01-01"] * 4, dtype="M8[s]")
        for name in ("dose", "colour"):
            for values in (times, times - times[0], numpy.zeros(4, "V8"), numpy.zeros(4, complex)):
                with self.subTest(name=name, values=values.dtype), self.assertRaisesRegex(ValueError, f"{name}. is of the type "):
                    model.predict({**good, name: values})
        for x in (numpy.zeros((4, 4), "M8[s]"), numpy.zeros((4, 4), "m8[s]"), numpy.zeros((4, 4), "V4")):
            with self.assertRaisesRegex(ValueError, "are of the type"):
                model.predict(x)
        for word in ("1_0", b"1_0", "\u0661", "Nan", "0x10", "+-1"):
            written = word.decode() if isinstance(word, bytes) else word
            rows = people(6, 4)
            rows[2][3] = written
            write(self.folder / "new.csv", HEADER, rows)
            self.assertNotEqual(self.run_command("predict", self.place / "svm.h5", "csv:new.csv").code, 0)
            dose = good["dose"].copy()
            dose[2] = word
            with self.subTest(word=word), self.assertRaisesRegex(ValueError, "X.2., column 4 .dose.: .* is not a number"):
                model.predict({**good, "dose": dose})

    def test_a_whole_number_with_a_decimal_is_the_category_without_it_and_the_reverse(self):
        words = ["1", "2.0", "-3", "3.1", "250", "0.000001", "x"]
        write(self.folder / "t.csv", ["k", "z", "y"], [[words[k % 7], str(k % 5), "pq"[k % 7 in (1, 2)]] for k in range(140)])
        self.succeed("svm", "--data", "csv:t.csv", "--categorical", "onehot", "--grid", "2x2", "--folds", "2", "--quiet", "-o", "k.h5")
        unknown = ["3.10", "250.00", "1e-06", "+1", "01"]
        new = [[word, "3"] for word in ("1.0", "2", "-3.0", "250.0", "1", "2.0", "-3", "250", "x", *unknown)]
        write(self.folder / "new.csv", ["k", "z"], new)
        self.assert_as_the_program("k.h5", "csv:new.csv", {"k": numpy.array([row[0] for row in new]), "z": numpy.full(len(new), 3.0)})
        told = self.succeed("predict", "k.h5", "new.csv")
        self.assertIn("column 1 (k) of new.csv has 5 values that the training part does not have (the first is '3.10' in line 11)", told.err)
        predicted = told.out.split()
        self.assertEqual(predicted[:4], predicted[4:8])
        column = Column(1, "k", sorted(words))
        for word in unknown:
            with self.subTest(word), self.assertWarnsRegex(UserWarning, re.escape(word)):
                self.assertEqual(one_hot([word], column).sum(), 0)

    def test_unknown_words_are_warned_of(self):
        model = krossfold.load_model(self.place / "svm.h5")
        rows = people(7, 4)
        rows[1][2] = "mauve"
        with self.assertWarnsRegex(UserWarning, r"column 3 .colour. has values that the training part does not have .such as 'mauve'"):
            model.predict({name: numpy.array([row[k] for row in rows], dtype=object) for k, name in enumerate(HEADER)})


    def test_columns_in_other_units_are_warned_of_as_by_the_program(self):
        model = krossfold.load_model(self.place / "svm.h5")
        rows = people(7, 40)
        columns = {name: numpy.array([row[k] for row in rows], dtype=object) for k, name in enumerate(HEADER)}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.predict(columns)
        months = columns["age"].copy()
        for k, word in enumerate(months):
            months[k] = word if is_missing(word) else f"{float(word) * 12:.1f}"
        with self.assertWarnsRegex(UserWarning, r"column 2 .age. of the samples has values such as .*is it in the same unit"):
            model.predict({**columns, "age": months})
        write(self.folder / "months.csv", HEADER, [[row[0], months[k], *row[2:]] for k, row in enumerate(rows)])
        told = self.succeed("predict", self.place / "svm.h5", "months.csv").err
        self.assertRegex(told, r"warning: column 2 .age. of months.csv has values such as .*is it in the same unit")

    def test_labels_in_another_place_are_warned_of(self):
        write(self.folder / "n.csv", [], [[k % 7, k % 3, k * k % 11, 5 + k % 2] for k in range(60)])
        self.succeed("svm", "--data", "csv:n.csv", "--label", "2", "--grid", "2x2", "--folds", "2", "--quiet", "-o", "n.h5")
        model = krossfold.load_model(self.folder / "n.h5")
        table = numpy.loadtxt(self.folder / "n.csv", delimiter=",")
        moved = table[:, [0, 2, 3, 1]]  # the labels last: 0, 1 and 2 are words of the training table's second column only
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            right = model.predict(table)
            self.assertEqual(list(model.predict(table[:, [0, 2, 3]])), list(right))
            missing = table.copy()
            missing[:, 1] = numpy.nan
            self.assertEqual(list(model.predict(missing)), list(right))
        moved[:, 1] += 20
        with self.assertWarnsRegex(UserWarning, "column 2 of the samples was left out.*none of its values is a class"):
            model.predict(moved)
        if pandas:
            with self.assertWarnsRegex(UserWarning, "none of its values is a class"):
                model.predict(pandas.DataFrame(moved))


class Encodings(unittest.TestCase):
    def test_whole_numbers_of_floating_point_are_words_if_the_training_table_has_these(self):
        column = Column(3, "site", ["2", "30", "unknown"])
        self.assertEqual(words_of(numpy.array([30.0, 2.0, numpy.nan]), column), ["30", "2", ""])
        for value in (2.5, 4.0, numpy.inf):
            with self.subTest(value=value), self.assertRaisesRegex(ValueError, "column 3 .site. has the number"):
                words_of(numpy.array([2.0, value]), column)

    def test_truth_values_are_the_only_word_that_spells_them(self):
        for words, expected in ((["FALSE", "TRUE"], ["TRUE", "FALSE"]), (["False", "no", "true"], ["true", "False"]),
                                (["TRUE", "True", "false", "true"], ["True", "false"]), (["no", "yes"], ["True", "False"])):  # fmt: skip
            for values in (numpy.array([True, False]), numpy.array([numpy.True_, False], dtype=object)):
                self.assertEqual(words_of(values, Column(1, "flag", words)), expected)

    def test_missing_words_are_those_of_the_program(self):
        source = (ROOT / "src/tables/table_fields.cpp").read_text(encoding="utf8")
        words = source.split("string_view, 21> words{")[1].split("};")[0]
        self.assertEqual(MISSING, {word.strip().strip('"') for word in words.split(",")})

        errors = ("#DIV/0!", "#NV", "#WERT!", "#VALEUR!", "#NOME?", "#N/D", "#\u00dcBERLAUF!")
        words = ("#N/DD", "#!", "#red!", "#DIV 0!", "##A!", "NV", "#NVX", "#" + "A" * 23 + "!", "NaT", "Nan", "null ")
        self.assertEqual([is_missing(word) for word in (*errors, *words)], [True] * len(errors) + [False] * len(words))

    def test_columns_with_the_same_name_and_counts_in_two_ways_are_refused(self):
        encoding = Encoding(5, label_column=5, named=True, column=[Column(1, "a"), Column(2, "b"), Column(3, "c")])
        self.assertEqual(encoding.by_name(["c", "x", "a", "b"]), [2, 3, 0])
        with self.assertRaisesRegex(ValueError, "the name 'a' does not tell"):
            encoding.by_name(["a", "a", "b", "c"])
        self.assertEqual(encoding.by_position(5), [0, 1, 2])
        with self.assertRaisesRegex(ValueError, "can be read in two ways"):
            encoding.by_position(4)

    def test_a_table_without_its_label_in_which_columns_have_no_use_is_described(self):
        encoding = Encoding(6, label_column=4, named=True, column=[Column(2, "p"), Column(3, "q"), Column(5, "r")])
        self.assertEqual(encoding.by_position(5), [1, 2, 3])
        self.assertIn("without its label: (ignored), p, q, r, (ignored); if another", encoding.without_label(5))
        self.assertEqual([encoding.without_label(count) for count in (3, 6)], ["", ""])
        self.assertEqual(Encoding(4, label_column=4, column=[Column(1), Column(2), Column(3)]).without_label(3), "")
        self.assertEqual(Encoding(4, label_column=-1, column=[Column(1), Column(2)]).without_label(3), "")

    def test_an_array_that_lacks_the_label_or_another_column_is_warned_of(self):
        encoding = Encoding(6, label_column=4, named=True, column=[Column(2, "p"), Column(3, "q"), Column(5, "r")])
        with self.assertWarnsRegex(UserWarning, r"read as the training table without its label: .ignored., p, q, r, .ignored."):
            found = samples_of(numpy.arange(10.0).reshape(2, 5), 3, encoding=encoding)
        numpy.testing.assert_array_equal(found.block(0, 2), [[1, 2, 3], [6, 7, 8]])
        with self.assertWarnsRegex(UserWarning, "because the samples have no names: read as the training table without"):
            samples_of({k: numpy.arange(2.0) for k in range(5)}, 3, encoding=encoding)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            samples_of(numpy.zeros((2, 3)), 3, encoding=encoding)
            samples_of(numpy.zeros((2, 6)), 3, encoding=encoding, classes=["0", "1"])

    def test_one_hot_is_the_place_among_the_words(self):
        found = one_hot(["b", "", "a"], Column(1, "x", ["a", "b"]))
        numpy.testing.assert_array_equal(found, [[0, 1], [0, 0], [1, 0]])

    def test_a_whole_number_is_the_same_word_with_and_without_a_decimal(self):
        """The words of TableColumns.of_text_take_a_whole_number... (test/tables/table_columns.test.cpp)."""
        column = Column(1, "x", sorted(["-3", "0.000001", "007", "1", "2.0", "250", "3", "3.1", "red"]))
        place = {word: k for k, word in enumerate(column.category)}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for word, category in (("-3", "-3"), ("-3.0", "-3"), ("1", "1"), ("1.0", "1"), ("2", "2.0"), ("2.0", "2.0"), ("250.0", "250"), ("3.0", "3"), ("007", "007")):
                self.assertEqual(one_hot([word], column)[0].tolist(), [float(k == place[category]) for k in range(9)], word)
        for word in ("3.10", "3.00", "250.00", "1e-06", "+1", "01", "01.0", "7", "007.0", "1E0", "4", "1."):
            with self.subTest(word=word), self.assertWarnsRegex(UserWarning, f"such as '{re.escape(word)}'"):
                self.assertEqual(one_hot([word], column).sum(), 0)


if __name__ == "__main__":
    unittest.main()
