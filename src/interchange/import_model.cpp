// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/interchange/import_model.hpp"

#include <filesystem>
#include <utility>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/read_file.hpp"
#include "krossfold/interchange/libsvm_model.hpp"
#include "krossfold/interchange/npz_model.hpp"
#include "krossfold/model/svm_file.hpp"
#include "new_files.hpp"
#include "npz/npz_reader.hpp"

namespace krossfold::interchange {

namespace {

/// The companion file that was named, or else the one beside the model; "" for none.
std::string companion(const std::string& named, const std::string& file, const std::string& end,
                      const std::string& option, std::vector<std::string>& notes) {
  if (named == "none") return "";
  if (!named.empty()) return named;
  const std::string beside = with_end(file, end);
  std::error_code ignored;
  if (!std::filesystem::exists(beside, ignored)) return "";
  notes.push_back(text("Took ", beside, " too; ", option, " none leaves it out."));
  return beside;
}

/// difference: of decision values in single precision.
void note_machine(Written& written, const svm::Machine& machine, double difference) {
  written.notes.push_back(text("SVM of ", machine.classes(), " classes, ", machine.features(), " features and ",
                               machine.support.size(), " support vectors"));
  constexpr double shows = 1e-3;  // of the distance 1 between the margin and the boundary
  if (difference <= shows) return;
  written.notes.push_back(text(
      "Warning: decision values differ from those in double precision by up to ", difference,
      ", because features are single-precision numbers here: the coefficients are large, or features differ little "
      "from one another. Scale the features (or subtract a constant from them), or use a smaller C, degree or "
      "gamma."));
}

/// Warns of a range of pixels that the file does not say: pictures get the usual one then.
void note_grey(Written& written, const NpzReader& file, const input::ImageKind& image) {
  const bool says = file.has("image_black") && file.has("image_white");
  if (says || !file.has("image_shape") || !input::takes_pictures(image.shape)) return;
  written.notes.push_back(text("Warning: ", file.name(),
                               " does not say what black and white are, so pictures will be given pixels from ",
                               image.black, " (black) to ", image.white,
                               " (white). If the network was trained on others, add the arrays image_black and "
                               "image_white to the file, and import it again."));
}

std::vector<NewFile> model_files(const NpzModel& content, double difference, const std::string& output,
                                 Written& written) {
  if (const auto* machine = std::get_if<svm::Machine>(&content)) {
    note_machine(written, *machine, difference);
    return {{output, storage::to_bytes(model::to_container(*machine))}};
  }
  if (const auto* names = std::get_if<model::LstmModel>(&content)) {
    written.notes.push_back(nn::describe(names->architecture));
    if (names->known.empty())
      written.notes.emplace_back(
          "It does not say which names it was trained on, so that sample --novel is not for it.");
    return {{output, model::to_file(*names)}};
  }
  const auto& networks = std::get<std::vector<model::NetworkModel>>(content);
  written.notes.push_back(text(networks.size() == 1 ? "" : text(networks.size(), " networks; the first: "),
                               nn::describe(networks.front().architecture)));
  if (networks.size() == 1) return {{output, to_file(networks.front())}};
  std::vector<NewFile> files;  // of a folder as that of a bagging study
  for (std::size_t m = 0; m < networks.size(); ++m) {
    files.push_back({text("bootstrap_", m < 10 ? "0" : "", m, ".h5"), to_file(networks[m])});
  }
  return files;
}

/// The files of a model, of which several lie in a folder, and what the user does next.
struct Imported {
  std::vector<NewFile> files;
  std::string command;
};

std::string predict_command(const std::string& model) { return text("krossfold predict ", model, " INPUT"); }

Imported from_npz(const std::string& file, const std::string& output, const LibsvmData& libsvm, Written& written) {
  const bool given = !libsvm.range.empty() || !libsvm.labels.empty() || libsvm.features != 0;
  require(!given, text("--range, --labels and --features are not for ", file), "a .npz file says it itself",
          "Leave them out.");
  const std::vector<std::byte> bytes = data::read_file(file);
  double difference = 0;
  const NpzModel content = model_from_npz(bytes, file, &difference);
  std::vector<NewFile> files = model_files(content, difference, output, written);
  if (const auto* networks = std::get_if<std::vector<model::NetworkModel>>(&content)) {
    note_grey(written, NpzReader(bytes, file), networks->front().image);
  }
  if (std::holds_alternative<model::LstmModel>(content)) return {std::move(files), text("krossfold sample ", output)};
  return {std::move(files), predict_command(output)};
}

Imported from_libsvm(const std::string& file, const std::string& output, LibsvmData libsvm, Written& written) {
  libsvm.range = companion(libsvm.range, file, ".range", "--range", written.notes);
  libsvm.labels = companion(libsvm.labels, file, ".labels", "--labels", written.notes);
  const std::vector<std::byte> bytes = data::read_file(file);
  double difference = 0;
  const svm::Machine machine = machine_from_libsvm(bytes, file, libsvm, &difference);
  note_machine(written, machine, difference);
  return {{{output, storage::to_bytes(model::to_container(machine))}}, predict_command(output)};
}

}  // namespace

Written import_model(const std::string& file, const std::string& output, const LibsvmData& libsvm) {
  const std::string end = end_of(file);
  require(end == ".model" || end == ".npz", text(file, " does not name a format"),
          "the end of the name tells it: .model (LIBSVM) or .npz (NumPy)", "Rename the file.");
  check_new(output);
  Written written;
  auto [files, command] =
      end == ".npz" ? from_npz(file, output, libsvm, written) : from_libsvm(file, output, libsvm, written);
  if (files.size() > 1) {
    write_new_folder(output, std::move(files));
  } else {
    write_new(files);
  }
  written.files = {output};
  written.notes.emplace_back("Run:");
  written.notes.push_back("  " + command);
  return written;
}

}  // namespace krossfold::interchange
