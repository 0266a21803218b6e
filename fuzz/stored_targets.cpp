// SPDX-License-Identifier: BSD-3-Clause
// Result files, model files and journals.
#include "fuzz/checksums.hpp"
#include "fuzz/plain_container.hpp"
#include "fuzz/predictions.hpp"
#include "fuzz/target.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/model/lstm_file.hpp"
#include "krossfold/model/network_file.hpp"
#include "krossfold/model/predictor.hpp"
#include "krossfold/model/svm_file.hpp"
#include "krossfold/model/svm_parts_file.hpp"
#include "krossfold/report/document.hpp"
#include "krossfold/run/study_kind.hpp"
#include "krossfold/storage/field.hpp"
#include "krossfold/storage/journal.hpp"
#include "krossfold/studies/registry.hpp"
#include "krossfold/svm/machine.hpp"

namespace krossfold::fuzz {

namespace {

void read_stored(std::span<const std::byte> input) {
  const storage::Container container = storage::container_from_bytes(input, "input.h5");
  const storage::Container again = storage::container_from_bytes(storage::to_bytes(container), "again.h5");
  must(again.arrays.size() == container.arrays.size(), "a file that is written again has as many arrays");
}

void use_model(const storage::Container& content) {
  const std::string kind = content.attribute("kind");
  if (kind == "svm-model") {
    predict(*model::make_predictor(model::machine_from_container(content, "input.h5")));
  } else if (kind == model::svm_parts_kind) {
    predict(*model::make_predictor(model::parts_from_container(content, "input.h5")));
  } else if (kind == "network-model") {
    std::vector<model::NetworkModel> network{model::network_from_container(content, "input.h5")};
    if (network.front().parts == 1) predict(*model::make_predictor(std::move(network), {"input.h5"}));
  } else if (kind == "lstm-model") {
    model::lstm_from_container(content, "input.h5");
  }
}

/// What a program makes of the content of a result or model file.
void read_content(std::span<const std::byte> input) {
  static const run::StudyRegistry registry = studies::all_kinds();
  run::ResultFile file{"input.h5", from_plain(input)};
  const run::StudyKind* kind = registry.find(file.content.attribute("kind"));
  if (kind == nullptr) return use_model(file.content);
  storage::upgrade(file.content, kind->schema());
  const report::Document document = kind->report(file);
  for (const char* format : {"text", "json", "csv"}) report::render({document}, format);
  kind->comparable(file);
}

void read_journal(std::span<const std::byte> input) {
  const storage::Fingerprint fingerprint{"folds = 5\n", 1, "build"};
  const InputFile file(input, "input.h5.journal");
  std::vector<Record> first;
  {
    storage::Journal journal(file.path(), fingerprint);
    first = journal.replayed();
    journal.append({{9, {1, 2, 3}}, Status::done, "", 0, 1, 0, {}});
  }
  const storage::Journal journal(file.path(), fingerprint);
  must(journal.damage_warning().empty(), "a journal that was opened and continued is whole");
  must(journal.replayed().size() == first.size() || journal.replayed().size() == first.size() + 1,
       "a journal that is opened again has the same records");
}

constexpr Target targets[] = {
    {"stored", read_stored, repair_stored}, {"content", read_content}, {"journal", read_journal, repair_journal}};

}  // namespace

std::span<const Target> stored_targets() { return targets; }

}  // namespace krossfold::fuzz
