// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/registry.hpp"

#include "krossfold/studies/bag/kind.hpp"
#include "krossfold/studies/svm/kind.hpp"
#include "krossfold/studies/train/kind.hpp"

namespace krossfold::studies {

run::StudyRegistry all_kinds() {
  run::StudyRegistry registry;
  registry.add(svm_kind());
  registry.add(bag_kind());
  registry.add(train_kind());
  registry.add(names_kind());
  return registry;
}

}  // namespace krossfold::studies
