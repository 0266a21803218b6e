// SPDX-License-Identifier: BSD-3-Clause
// Models in the formats of other programs.
#include <algorithm>
#include <string_view>

#include "fuzz/checksums.hpp"
#include "fuzz/predictions.hpp"
#include "fuzz/target.hpp"
#include "krossfold/interchange/libsvm_model.hpp"
#include "krossfold/interchange/npz_model.hpp"
#include "krossfold/model/predictor.hpp"

namespace krossfold::fuzz {

namespace {

/// The first byte says what is known besides the model.
void read_libsvm_model(std::span<const std::byte> input) {
  constexpr std::string_view ranges = "x\n-1 1\n1 0 16\n2 -3.5 4e2\n4 1 2\n",
                             names = "0 none\n1 one\n-1 the other\n2 two\n";
  Choices choice(input);
  const unsigned known = choice.next(8);
  const InputFile range(std::as_bytes(std::span(ranges)), "input.range"),
      labels(std::as_bytes(std::span(names)), "input.labels");
  interchange::LibsvmData data;
  if (known % 2 == 1) data.features = 5;
  if (known / 2 % 2 == 1) data.range = range.path();
  if (known / 4 == 1) data.labels = labels.path();
  predict(*model::make_predictor(interchange::machine_from_libsvm(choice.rest(), "input.model", data)));
}

void read_range(std::span<const std::byte> input) {
  const interchange::Range range = interchange::read_range(input, "input.range");
  must(std::is_sorted(range.number.begin(), range.number.end()), "numbers of features ascend");
  must(std::all_of(range.divisor.begin(), range.divisor.end(), [](double d) { return d > 0; }),
       "divisors are positive");
  if (range.number.empty() || range.number.front() < 0 || range.number.back() > 100) return;
  const data::Scale scale = interchange::scale_of(range, range.number.back() + 1, 0);
  must(scale.divisor.size() == scale.offset.size(), "a scale has an offset and a divisor for each feature");
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
