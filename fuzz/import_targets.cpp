// SPDX-License-Identifier: BSD-3-Clause
// Models in the formats of other programs.
#include <algorithm>

#include "fuzz/checksums.hpp"
#include "fuzz/predictions.hpp"
#include "fuzz/target.hpp"
#include "krossfold/interchange/libsvm_model.hpp"
#include "krossfold/interchange/npz_model.hpp"
#include "krossfold/model/predictor.hpp"

namespace krossfold::fuzz {

namespace {

void read_libsvm_model(std::span<const std::byte> input) {
  predict(*model::make_predictor(interchange::machine_from_libsvm(input, "input.model", {})));
}

void read_range(std::span<const std::byte> input) {
  const interchange::Range range = interchange::read_range(input, "input.range");
  must(std::is_sorted(range.number.begin(), range.number.end()), "numbers of features ascend");
  must(std::all_of(range.divisor.begin(), range.divisor.end(), [](double d) { return d > 0; }),
       "divisors are positive");
}

void read_npz_model(std::span<const std::byte> input) {
  interchange::NpzModel found = interchange::model_from_npz(input, "input.npz");
  if (auto* machine = std::get_if<svm::Machine>(&found)) return predict(*model::make_predictor(std::move(*machine)));
  if (auto* names = std::get_if<model::LstmModel>(&found)) {
    const model::LstmModel again =
        model::lstm_from_container(storage::container_from_bytes(model::to_file(*names), "again"), "again");
    return must(again.known == names->known && again.architecture == names->architecture, "it can be written and read");
  }
  auto& networks = std::get<std::vector<model::NetworkModel>>(found);
  const std::vector<std::string> files(networks.size(), "input.npz");
  predict(*model::make_predictor(std::move(networks), files));
}

constexpr Target targets[] = {
    {"svmmodel", read_libsvm_model}, {"range", read_range}, {"npzmodel", read_npz_model, repair_zip}};

}  // namespace

std::span<const Target> import_targets() { return targets; }

}  // namespace krossfold::fuzz
