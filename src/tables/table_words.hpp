// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The words of TableParams, parsed.

#include <string>
#include <string_view>
#include <vector>

#include "krossfold/tables/table.hpp"

namespace krossfold::tables {

/// The advice where data to predict lack a value and the training data lacked none.
inline constexpr const char* learnt_complete = "fill it in: the model learnt from data without missing values";

/// Whether missing values are kept: where `params` or the encoding fill them in, and in data to predict by text alone, where a missing
/// word has no category. `encoding` may be null.
bool keeps_missing(const TableParams& params, const TableEncoding* encoding);

/// ',', ';', '\t', '|' or ' ' for the words of TableParams::delimiter, 0 for "".
char delimiter_of(const std::string& word);

/// '.' or ',' for the words of TableParams::decimal, 0 for "".
char decimal_of(const std::string& word);

/// How many lines the header has, if there is one: N for "N", 1 for the other words of TableParams::header.
int header_lines_of(const std::string& word);

/// Parses TableParams::image; {} for "".
data::ImageShape parse_image_shape(const std::string& word);

/// The number that the field of a weight says; infinity for one that double does not hold.
double parse_weight(std::string_view field);

/// With a to z for A to Z; other letters stay as they are.
std::string in_lower_case(std::string_view word);

/// "column 3 (age)", or "column 3" without a name.
std::string column_text(int column, const std::string& name);

/// "column 5 (species)", or the file that holds the labels.
std::string label_text(const Table& table);

/// The first few names for a message: "a, b, c, ... (12 in all)".
std::string some_of(const std::vector<std::string>& names, std::size_t shown = 8);

/// The same with one word for each number, however it is written: 3 for 3.0 and +3, as data::index_labels() spells labels.
WordColumn spelled_alike(WordColumn column, const std::string& file);

/// The column (from 1) that COLUMN, the value of `parameter`, means in a file with these columns. Appends a warning if it
/// is both a name and another column's number. Throws an input error if there is none, or more than one.
int find_column(const std::string& parameter, const std::string& word, const std::vector<std::string>& names,
                bool named, const std::string& file, std::vector<std::string>& warning);

/// True for a COLUMN that can only be a name.
bool must_be_name(const std::string& word);

/// True for digits alone.
bool is_whole(std::string_view word);

/// True for a letter of ASCII.
inline bool is_letter(char one) { return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z'); }

}  // namespace krossfold::tables
