// SPDX-License-Identifier: BSD-3-Clause
// Trains one support vector machine and classifies samples that it has not seen: train_svm [TABLE] (a CSV file).
#include <cstdio>
#include <exception>

#include "krossfold/data/test_part.hpp"
#include "krossfold/svm/train.hpp"
#include "krossfold/tables/readers.hpp"
#include "krossfold/tables/table.hpp"

using namespace krossfold;

int main(int argc, char** argv) try {
  const KokkosRuntime kokkos;
  const Device exec;  // the GPU if Kokkos was built for one, else the CPU
  const data::Dataset samples =
      argc > 1 ? tables::table_dataset(tables::read_table(argv[1])) : tables::embedded_digits();
  const data::Task task = data::split_off_test_part(samples, data::TestPart::random, 0);

  const svm::Machine machine = svm::train(exec, task.train, {.c = {10}, .gamma = 0.02});
  for (const svm::FitSummary& fit : machine.fit) {
    if (!fit.converged) std::printf("not converged: violation %g of the KKT conditions\n", fit.violation);
  }

  const auto decision = svm::decision_values(exec, machine, task.test);
  const auto predicted = svm::predicted_classes(machine, decision);
  int wrong = 0;
  for (int i = 0; i < task.test.size(); ++i) wrong += predicted[i] != task.test.label(i);
  std::printf("%s: %d of %d support vectors, %d of %d test samples wrong\n", task.train.name.c_str(),
              machine.support.size(), task.train.size(), wrong, task.test.size());
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
