// SPDX-License-Identifier: BSD-3-Clause
#include "interchange_options.hpp"

#include <limits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/run/option_groups.hpp"
#include "option_parsing.hpp"

namespace krossfold::cli {

namespace {

int parse_features(const std::string& value, const std::string& option) {
  const double number = parse_number(value, option);
  const bool whole = number >= 1 && number <= 1e7 && number == static_cast<int>(number);
  require(whole, text("bad value '", value, "' for ", option), "it is a whole number from 1 to 10000000");
  return static_cast<int>(number);
}

}  // namespace

run::OptionTable export_options(ExportParams& params) {
  run::OptionTable table;
  table.begin_group(run::group::arguments);
  table.add_argument(params.model, "MODEL", "model file, folder of models, or result file");
  table.begin_group(run::group::output);
  table
      .add("output", params.output, "FILE",
           "the file to write, which must not exist; its end chooses the format: .model (LIBSVM), .onnx (ONNX), .npz "
           "(NumPy)")
      .letter = "o";
  return table;
}

run::OptionTable import_options(ImportParams& params) {
  run::OptionTable table;
  table.begin_group(run::group::arguments);
  table.add_argument(params.file, "FILE", "file of LIBSVM (*.model) or NumPy (*.npz; docs/export.md names its arrays)");
  table.begin_group("Models of LIBSVM");
  table.add("range", params.libsvm.range, "FILE", "file of svm-scale -s for the training data, or none").default_text =
      "FILE.range beside FILE.model, if it is there";
  table.add("labels", params.libsvm.labels, "FILE", "file of lines LABEL NAME, or none").default_text =
      "FILE.labels beside FILE.model, if it is there";
  add_parsed(table, "features", params.libsvm.features, parse_features, "N", "features of a sample",
             "the largest number of a feature in the model");
  table.begin_group(run::group::output);
  table.add("output", params.output, "MODEL.h5", "the model file to write, which must not exist").letter = "o";
  return table;
}

}  // namespace krossfold::cli
