// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/fingerprint.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/core/provenance.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/data/table_encoding.hpp"

namespace krossfold::run {

namespace {

/// Of the names of the columns and of their categories, which models carry.
std::string digest_of(const data::TableEncoding& table) {
  std::string words;  // not of the label, whose name may hold the path of a file
  for (const data::FeatureColumn& one : table.column) {
    words += text(one.column, '\t', one.name, '\t', one.text, '\n');
    for (const std::string& category : one.category) words += text('\t', category, '\n');
  }
  return text(std::hex, crc64(std::as_bytes(std::span(words))));
}

}  // namespace

storage::Fingerprint make_fingerprint(const std::vector<OptionValue>& options, const data::Task& task) {
  const BuildInfo build = build_info();
  storage::Fingerprint print;
  print.config = fingerprint_text(options);
  // Older versions standardised such pixels, and their studies must not go on with another scale.
  const auto value_of = [&](const std::string& name) {
    const auto found = std::find_if(options.begin(), options.end(), [&](const auto& one) { return one.name == name; });
    return found == options.end() ? std::string("not there") : found->value;
  };
  const std::string data = value_of("data");
  const bool by_rule = value_of("scale").empty();
  const bool array = data.starts_with("npy:") || data.starts_with("npz:") ||
                     (data.starts_with("hdf5:") && task.train.image.channels > 1);
  if (by_rule && data::are_fractions(task.train)) print.config += "pixels = fractions\n";
  const bool shaped = array || data.starts_with("hdf5:") || data.starts_with("idx:");
  if (shaped && value_of("image").empty() && task.train.image.is_image()) {
    const std::string size = text(task.train.image.width, "x", task.train.image.height);
    print.config += text("images = ", size, "\n");
    if (!by_rule || !array) print.unsaid["images"] = size;
  }
  if (task.train.encoding) {
    const std::string columns = digest_of(*task.train.encoding);
    print.config += text("columns = ", columns, "\n");
    print.unsaid["columns"] = columns;
  }
  for (const OptionValue& option : options) print.unsaid[option.name] = option.is_default ? option.value : "not set";
  for (const OptionValue& option : older_values(options)) {
    if (print.unsaid.contains(option.name)) print.unsaid[option.name] = option.value;
  }
  print.data = task.train.digest ^ (task.test.digest * 0x9E3779B97F4A7C15u);
  print.build = text("krossfold ", build.version, " ", build.git_commit, ", ", build.compiler,
                     build.arch.empty() || build.arch == "native" ? "" : text(" for ", build.arch), ", Kokkos ",
                     build.kokkos, ", ", cpu_name(), ", ", blas_kernel());
  return print;
}

std::uint64_t identity_of(const storage::Fingerprint& fingerprint) {
  const std::string all = text(fingerprint.config, '\n', fingerprint.data, '\n', backend_description());
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::string program{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return crc64(std::as_bytes(std::span(program)), crc64(std::as_bytes(std::span(all))));
}

}  // namespace krossfold::run
