// SPDX-License-Identifier: BSD-3-Clause
#include "read_samples.hpp"

#include "data_file.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/sample_matrix.hpp"
#include "krossfold/input/read_idx.hpp"
#include "krossfold/input/spec.hpp"

namespace krossfold::input {
namespace {

/// The file `name`, plain or compressed, in `folder`.
std::string plain_or_gz(const std::string& folder, const std::string& name) {
  const std::string path = folder + "/" + name;
  if (exists(path)) return path;
  if (exists(path + ".gz")) return path + ".gz";
  throw_input_error(text("there is no ", name, "[.gz] in ", folder), "it is one of the four files of MNIST",
                    "get them with tools/fetch-mnist (installed: krossfold-fetch-mnist)");
}

data::Dataset read_mnist(const Source& source, const std::string& part, const tables::ReadParams& params) {
  const auto [images, labels] = mnist_files(source, part);
  data::Dataset dataset = read_idx(images, labels, params);
  dataset.name = "mnist";
  return dataset;
}

}  // namespace

std::pair<std::string, std::string> mnist_files(const Source& source, const std::string& part) {
  const std::string folder = find_data_folder("mnist", source.file);
  return {plain_or_gz(folder, part + "-images-idx3-ubyte"), plain_or_gz(folder, part + "-labels-idx1-ubyte")};
}

bool in_two_parts(const Source& source) {
  return source.kind == "mnist" || (source.converted && has_test_samples(source.file));
}

data::Dataset read_training_part(const Source& source, const tables::ReadParams& params) {
  return source.converted ? read_data_samples(source.file, DataPart::whole, params)
                          : read_mnist(source, "train", params);
}

bool limit_keeps_first(const Source& source) {
  return source.kind == "mnist" || (source.converted && limit_keeps_first(source.file));
}

data::Dataset read_samples(const Source& source, const tables::ReadParams& params, const std::string& image,
                           Notes* notes) {
  if (source.kind == "mnist") return read_mnist(source, "t10k", params);
  if (source.kind == "images") {
    Notes unused;
    return read_image_folder(source.file, params, notes == nullptr ? unused : *notes);
  }
  if (source.kind == "idx") return read_idx(source.file, source.first, params);
  if (source.kind == "digits") {
    data::check_features(64, params.features, "digits");
    return tables::embedded_digits(params.known_classes);
  }
  tables::ReadParams own = params;
  own.sparse = params.sparse && image.empty() && !params.image.is_image();
  data::Dataset dataset;
  if (source.converted) {
    const DataPart part = has_test_samples(source.file) ? DataPart::test : DataPart::whole;
    dataset = read_data_samples(source.file, part, own);
    if (image.empty()) return dataset;
  } else {
    dataset = tables::read_libsvm(source.file, own, notes == nullptr ? nullptr : &notes->warning);
  }
  dataset.image = tables::image_shape(image, dataset);
  return dataset;
}

}  // namespace krossfold::input
