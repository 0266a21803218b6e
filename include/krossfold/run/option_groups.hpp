// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The headings of the help that options of more than one command stand under. A study may use others besides.
namespace krossfold::run::group {

inline constexpr const char* arguments = "Arguments";
inline constexpr const char* data = "Data";
inline constexpr const char* tables = "Columns of a table";
inline constexpr const char* folds = "Folds and random numbers";
inline constexpr const char* search = "Search";
inline constexpr const char* model = "Model";
inline constexpr const char* training = "Training";
inline constexpr const char* objective = "What to optimise";
inline constexpr const char* devices = "Ranks, memory and devices";
inline constexpr const char* time = "Time and interruption";
inline constexpr const char* output = "Output";
inline constexpr const char* general = "General";

}  // namespace krossfold::run::group
