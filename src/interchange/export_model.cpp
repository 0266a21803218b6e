// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/interchange/export_model.hpp"

#include <filesystem>
#include <type_traits>
#include <utility>
#include <variant>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/interchange/libsvm_model.hpp"
#include "krossfold/interchange/npz_model.hpp"
#include "krossfold/interchange/onnx_model.hpp"
#include "krossfold/model/load_model.hpp"
#include "new_files.hpp"

namespace krossfold::interchange {

namespace {

/// What users of a model of a table or of indices from 0 must know of its features.
void note_features(std::vector<std::string>& notes, const std::shared_ptr<const data::TableEncoding>& encoding,
                   const data::ImageShape& image) {
  if (image.height > 1 || image.channels > 1) {
    notes.push_back(text(
        "The features are pixels, ",
        image.channels > 1 ? text("(channel, row, column) = ", image.channels, "x") : "(row, column) = ", image.height,
        "x", image.width, ", whatever their order was in the file of the training data."));
    return;
  }
  if (!encoding) return;
  bool words = false;
  for (const data::FeatureColumn& column : encoding->column) words = words || column.text;
  notes.push_back(text("The ", encoding->features(),
                       " features are the columns of the training table in its order, without label",
                       words ? ", with a feature for each category of text (1 for it, 0 for others)" : "", "."));
}

/// A file with this name would be taken for part of the model by import_model().
void check_no_companion(const std::string& path, const std::string& output) {
  std::error_code ignored;
  const bool there = std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
  require(!there, text(path, " exists"), text("krossfold import would take it for part of ", output),
          "Choose another -o, or move the file away.");
}

struct Made {
  std::vector<NewFile> files;
  std::vector<std::string> notes;
};

Made make_libsvm(const svm::Machine& machine, const std::string& model, const std::string& output) {
  const LibsvmFiles made = libsvm_files(machine, model);
  const std::string range = with_end(output, ".range"), labels = with_end(output, ".labels");
  std::vector<NewFile> files{{output, bytes_of(made.model)}};
  std::vector<std::string> notes{text("LIBSVM model of ", machine.classes(), " classes and ", machine.support.size(),
                                      " support vectors, kernel ", svm::kernel_word(machine.kernel.kind))};
  note_features(notes, machine.support.encoding, machine.image);
  if (!made.range.empty()) {
    files.push_back({range, bytes_of(made.range)});
    notes.emplace_back("It takes scaled features, because the scale cannot be part of such a model. Run:");
    notes.push_back(text("  svm-scale -r ", range, " DATA > DATA.scaled"));
    notes.push_back(text("  svm-predict DATA.scaled ", output, " PREDICTIONS"));
  } else {
    check_no_companion(range, output);
    notes.emplace_back("It takes features as in the training data; the scale is part of the model. Run:");
    notes.push_back(text("  svm-predict DATA ", output, " PREDICTIONS"));
  }
  if (!made.labels.empty()) {
    files.push_back({labels, bytes_of(made.labels)});
    notes.push_back(text("Labels are numbers from 0; ", labels, " has their names."));
  } else {
    check_no_companion(labels, output);
  }
  return {std::move(files), std::move(notes)};
}

/// Refuses a model because `format` holds a single SVM.
template <class Content>
[[noreturn]] void refuse(const Content&, const std::string& model, const std::string& format) {
  const bool parts = std::is_same_v<Content, svm::PartitionedMachine>;
  throw_input_error(
      text(model, parts ? " is an SVM for each part of the samples" : " is no SVM"), text(format, " holds one SVM"),
      parts ? "Search again without --partition; --factor is for many samples, too." : "Export FILE.onnx or FILE.npz.");
}

std::string described(const model::Networks& networks) {
  const std::size_t count = networks.network.size();
  return count == 1 ? nn::describe(networks.network.front().architecture) : text(count, " networks that vote");
}

/// A file that all models but those in parts have, of the bytes that make(model) gives.
template <class Bytes>
Made make_one(const model::Model& content, const std::string& model, const std::string& output, const char* names,
              const Bytes& bytes) {
  Made made;
  std::visit(
      [&](const auto& one) {
        using Content = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<Content, svm::PartitionedMachine>) {
          refuse(one, model, text("a file ", end_of(output)));
        } else {
          made.files = {{output, bytes(one)}};
          if constexpr (std::is_same_v<Content, svm::Machine>) {
            made.notes = {
                text("SVM of ", one.classes(), " classes and ", one.support.size(), " support vectors", names)};
            note_features(made.notes, one.support.encoding, one.image);
          } else if constexpr (std::is_same_v<Content, model::Networks>) {
            made.notes = {text(described(one), names)};
            note_features(made.notes, one.network.front().encoding, one.network.front().architecture.image);
          } else {
            made.notes = {text(nn::describe(one.architecture), names)};
          }
        }
      },
      content);
  return made;
}

Made make(const model::Model& content, const std::string& model, const std::string& output) {
  if (end_of(output) == ".npz") {
    return make_one(content, model, output, "; docs/export.md says what the arrays are", [&](const auto& one) {
      if constexpr (std::is_same_v<std::decay_t<decltype(one)>, model::LstmModel>) {
        return npz_of(one);
      } else {
        return npz_of(one, model);
      }
    });
  }
  if (end_of(output) == ".onnx") {
    return make_one(content, model, output, "; docs/export.md says what it takes and gives",
                    [&](const auto& one) { return onnx_of(one, model); });
  }
  return std::visit(
      [&](const auto& one) -> Made {
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, svm::Machine>) {
          return make_libsvm(one, model, output);
        } else {
          refuse(one, model, "a LIBSVM model");
        }
      },
      content);
}

}  // namespace

Written export_model(const std::string& model, const std::string& output) {
  const std::string end = end_of(output);
  require(end == ".model" || end == ".onnx" || end == ".npz", text("-o ", output, " does not name a format"),
          "the end of the name chooses it: .model (LIBSVM), .onnx (ONNX) or .npz (NumPy)", "For example: -o svm.onnx.");
  check_new(output);
  Made made = make(model::load_model(model).model, model, output);
  write_new(made.files);
  Written written;
  for (const NewFile& file : made.files) written.files.push_back(file.path);
  written.notes = std::move(made.notes);
  return written;
}

}  // namespace krossfold::interchange
