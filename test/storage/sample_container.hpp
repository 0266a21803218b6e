// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace krossfold::test {

/// A small result file with a dataset of every kind; golden/result_v1.h5 has the same content.
inline storage::Container sample_container() {
  using namespace storage;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Container c;
  c.attributes = {{"kind", std::string("svm")},
                  {"config", std::string("{\"folds\": 2}")},
                  {"hosts", std::string("")},
                  {"command_line", std::string("krossfold svm --data κ.csv")},
                  {"seed", std::int64_t{-9007199254740993}},
                  {"n_train", std::int64_t{100}},
                  {"seconds", 0.1},
                  {"status", std::string("finished")},
                  {"model", std::string("svm.h5")},
                  {"long", std::string(1500, 'x')}};
  std::vector<double> errors;
  for (int i = 0; i < 24; ++i) errors.push_back(i == 5 ? nan : i / 64.0);
  const std::string gamma = "/search/gamma", cs = "/search/C";
  c.arrays.push_back(
      {"/fold_error", {3, 4, 2}, errors, {gamma, cs, ""}, "1", "fraction of the held-out samples misclassified"});
  c.arrays.push_back({gamma, {3}, std::vector<double>{1e-6, 1e-4, 0.01}, {}, "1", "RBF kernel width gamma", true});
  c.arrays.push_back({cs, {4}, std::vector<double>{0.001, 1, 1000, 1e6}, {}, "1", "penalty C", true});
  const std::vector<std::int32_t> ranks{0, 1, 2, 0, 1, std::numeric_limits<std::int32_t>::min()};
  c.arrays.push_back({"/unit/rank", {3, 2}, ranks, {gamma, ""}, "1", "MPI rank that computed the unit"});
  c.arrays.push_back(
      {"/fit/iterations", {2, 2}, std::vector<std::int64_t>{1, -2, 1LL << 62, 0}, {}, "1", "SMO iterations"});
  c.arrays.push_back(
      {"/class_name", {3}, std::vector<std::string>{"0", "größer", ""}, {}, "1", "names of the classes"});
  c.arrays.push_back({"/best/gamma", {}, std::vector<double>{1e-4}, {}, "1", "best gamma"});
  c.arrays.push_back({"/best/C_index", {}, std::vector<std::int64_t>{2}, {}, "1", "index of the best C"});
  c.arrays.push_back({"/name", {}, std::vector<std::string>{"digits"}, {}, "1", "data set"});
  c.arrays.push_back({"/model/support", {2, 3}, std::vector<float>{1.5F, 0, -1, 3e38F, 1e-40F, 0.1F}, {}, "1", "rows"});
  c.arrays.push_back({"/nothing", {0}, std::vector<double>{}, {}, "s", "no values"});
  c.arrays.push_back({"/test/nothing", {2, 0, 3}, std::vector<std::string>{}, {}, "1", "no names"});
  return c;
}

/// True if bitwise identical, NaN included; scales that are all "" count as none.
inline bool same_array(const storage::Array& a, const storage::Array& b) {
  const auto scales = [](const storage::Array& array) {
    std::vector<std::string> s = array.scales;
    s.resize(array.shape.size());
    return s;
  };
  if (a.path != b.path || a.shape != b.shape || scales(a) != scales(b) || a.units != b.units) return false;
  if (a.long_name != b.long_name || a.is_scale != b.is_scale || a.values.index() != b.values.index()) return false;
  return std::visit(
      [&](const auto& values) {
        const auto& others = std::get<std::decay_t<decltype(values)>>(b.values);
        if (values.size() != others.size()) return false;
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (values[i] == others[i]) continue;
          if (values[i] == values[i] || others[i] == others[i]) return false;
        }
        return true;
      },
      a.values);
}

}  // namespace krossfold::test
