// SPDX-License-Identifier: BSD-3-Clause
// With equal weights and batches a character model reproduces the losses and parameters of torch.nn.LSTM with
// torch.optim.Adam (test/nn/recorded_lstm).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "krossfold/input/names.hpp"
#include "krossfold/kernels/adam.hpp"
#include "krossfold/nn/lstm_network.hpp"
#include "test/nn/recorded_curves.hpp"
#include "test/source_folder.hpp"

namespace krossfold::test {
namespace {

struct LstmCurve {
  nn::LstmArchitecture architecture;
  int batch = 0;
  double rate = 0;
  std::vector<RecordedLoss> step, norm, change;  ///< norm and change have one entry per tensor

  explicit LstmCurve(const std::string& path) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      if (line.rfind("# case: ", 0) == 0) read_case(line.substr(8));
      if (line.empty() || line[0] == '#' || line == "what,index,float64,float32") continue;
      std::istringstream fields(line);
      std::string what, index, float64, float32;
      std::getline(std::getline(std::getline(std::getline(fields, what, ','), index, ','), float64, ','), float32);
      auto& values = what == "step" ? step : what == "norm" ? norm : change;
      values.push_back({std::stod(float64), std::stod(float32)});
    }
  }

private:
  void read_case(const std::string& text) {
    architecture.dropout = 0;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      const auto equals = word.find('=');
      const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
      if (name == "layers") architecture.layers = std::stoi(value);
      if (name == "hidden") architecture.hidden = std::stoi(value);
      if (name == "steps") architecture.steps = std::stoi(value);
      if (name == "batch") batch = std::stoi(value);
      if (name == "rate") rate = std::stod(value);
    }
  }
};

std::vector<std::string> lstm_curves() {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(source_path(KROSSFOLD_RECORDED_LSTM, "test/nn/recorded_lstm"))) {
    files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

double norm_of(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = static_cast<double>(a[i]) - (b.empty() ? 0 : static_cast<double>(b[i]));
    sum += d * d;
  }
  return std::sqrt(sum);
}

class LstmFollowsPyTorch : public testing::TestWithParam<std::string> {};

TEST_P(LstmFollowsPyTorch, step_by_step_and_in_its_parameters) {
  const LstmCurve curve(GetParam());
  ASSERT_EQ(curve.step.size(), 50u);
  const std::vector<std::string> names = input::load_names("names").name;
  const auto made = input::name_windows(names, curve.architecture.steps);
  const nn::Windows<Device> windows{list_on<Device>("krossfold::test::symbol", made.symbol),
                                    list_on<Device>("krossfold::test::next", made.next), made.steps};
  nn::LstmNetwork<Device> network(Device(), curve.architecture, 50);  // larger batches go in parts
  auto parameters = network.parameters();
  for (std::size_t t = 0; t < parameters.size(); ++t) {
    parameters[t].value = initial_values(static_cast<int>(t), {parameters[t].value.size(), curve.architecture.hidden});
  }
  network.set_parameters(parameters);
  const auto size = network.weight().extent(0);
  const Vector<float, Device> gradient("krossfold::test::gradient", size), mean("krossfold::test::mean", size),
      square("krossfold::test::square", size);
  const Vector<double, Device> loss("krossfold::test::loss", curve.batch);
  const int n = static_cast<int>(names.size());
  std::size_t step = 0;
  for (int epoch = 0; step < curve.step.size(); ++epoch) {
    const auto row = list_on<Device>("krossfold::test::row", epoch_order(epoch, n));
    for (int first = 0; first < n && step < curve.step.size(); first += curve.batch, ++step) {
      const int count = std::min(curve.batch, n - first);
      network.backward(windows, row, first, count, count, {}, gradient, loss);
      kernels::adam<Device>(Device(), network.weight(), mean, square, gradient, static_cast<std::int64_t>(step) + 1,
                            {.rate = curve.rate});
      double sum = 0;
      for (int w = 0; w < count; ++w) sum += on_host(loss)(w);
      ASSERT_NEAR(sum, curve.step[step].float64, 1e-5 * curve.step[step].float64) << "step " << step;
    }
  }
  const auto after = network.parameters();
  ASSERT_EQ(after.size(), curve.norm.size());
  for (std::size_t t = 0; t < after.size(); ++t) {
    EXPECT_NEAR(norm_of(after[t].value, {}), curve.norm[t].float64, 1e-5 * curve.norm[t].float64) << after[t].name;
    // Rounding affects Adam where a gradient is nearly 0, in PyTorch's float run as in ours.
    const double part = std::abs(curve.change[t].float32 - curve.change[t].float64);
    EXPECT_NEAR(norm_of(after[t].value, parameters[t].value), curve.change[t].float64,
                1e-4 * curve.change[t].float64 + 3 * part)
        << after[t].name;
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, LstmFollowsPyTorch, testing::ValuesIn(lstm_curves()), [](const auto& info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  for (char& letter : name) letter = std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return name;
});

}  // namespace
}  // namespace krossfold::test
