// SPDX-License-Identifier: BSD-3-Clause
#include "interchange_options.hpp"

#include <limits>

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

void add_export(CLI::App& app, ExportParams& params) {
  app.add_option("MODEL", params.model, "model file, folder of models, or result file");
  app.add_option("-o,--output", params.output,
                 "the file to write, which must not exist; its end chooses the format: .model (LIBSVM), .onnx (ONNX), "
                 ".npz (NumPy)")
      ->type_name("FILE");
}

void add_import(CLI::App& app, ImportParams& params) {
  app.add_option("FILE", params.file, "file of LIBSVM (*.model) or NumPy (*.npz; docs/export.md names its arrays)");
  app.add_option("-o,--output", params.output, "the model file to write, which must not exist")->type_name("MODEL.h5");
  app.add_option("--range", params.libsvm.range,
                 "LIBSVM: file of svm-scale -s for the training data, or none; default: FILE.range beside FILE.model, "
                 "if it is there")
      ->type_name("FILE");
  app.add_option("--labels", params.libsvm.labels,
                 "LIBSVM: file of lines LABEL NAME, or none; default: FILE.labels beside FILE.model, if it is there")
      ->type_name("FILE");
  add_parsed(app, "--features", params.libsvm.features, parse_features,
             "LIBSVM: features of a sample; default: the largest number of a feature in the model", "N");
}

}  // namespace krossfold::cli
