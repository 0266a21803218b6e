// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/dense.hpp"

#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "dense_forms.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::kernels {
namespace {

void check_batch(DenseForm form, int batch) {
  if (form != DenseForm::gemm && batch > dense_rows_batch) {
    throw_run_error(text("a batch of ", batch, " for the row forms of dense layers"),
                    text("they take up to ", dense_rows_batch));
  }
}

void check_aligned(std::initializer_list<const float*> arrays) {
  constexpr std::uintptr_t bytes = 16;
  for (const float* array : arrays) {
    if (reinterpret_cast<std::uintptr_t>(array) % bytes != 0) {
      throw_run_error("an array of a dense layer begins within a vector",
                      text("teams need a multiple of ", bytes, " bytes"));
    }
  }
}

}  // namespace

template <class Exec>
DenseForm best_dense_form(int batch) {
  if (batch > dense_rows_batch) return DenseForm::gemm;
  return std::is_same_v<Exec, Host> ? DenseForm::rows : DenseForm::teams;
}

int dense_team_block(std::int64_t inputs) {
  constexpr int least = 16, enough_blocks = 512;
  int block = dense_block;
  while (block > least && (inputs + block - 1) / block < enough_blocks) block /= 2;
  return block;
}

int dense_partials(DenseForm form, std::int64_t inputs) {
  if (form == DenseForm::gemm) return 1;
  const int block = form == DenseForm::teams ? dense_team_block(inputs) : dense_block;
  return static_cast<int>((inputs + block - 1) / block);
}

template <class Exec>
void dense_forward(const Exec& exec, DenseForm form, const DenseForward<Exec>& arrays, const DenseShape& shape) {
  check_batch(form, shape.batch);
  if (form == DenseForm::gemm) return DenseGemm::forward<Exec>(exec, arrays, shape);
  if constexpr (std::is_same_v<Exec, Host>) {
    if (form == DenseForm::rows) return DenseRows::forward<Exec>(exec, arrays, shape);
  }
  check_aligned({arrays.weight.data(), arrays.partial.data()});
  DenseTeams::forward<Exec>(exec, arrays, shape);
}

template <class Exec>
void dense_backward(const Exec& exec, DenseForm form, const DenseBackward<Exec>& arrays, const DenseShape& shape,
                    const DenseUpdate& update) {
  check_batch(form, shape.batch);
  if (form == DenseForm::gemm) return DenseGemm::backward<Exec>(exec, arrays, shape, update);
  if constexpr (std::is_same_v<Exec, Host>) {
    if (form == DenseForm::rows) return DenseRows::backward<Exec>(exec, arrays, shape, update);
  }
  check_aligned({arrays.weight.data(), update.weights ? arrays.velocity.data() : nullptr, arrays.dy.data()});
  DenseTeams::backward<Exec>(exec, arrays, shape, update);
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                         \
  template DenseForm best_dense_form<Exec>(int);                                                            \
  template void dense_forward<Exec>(const Exec&, DenseForm, const DenseForward<Exec>&, const DenseShape&);  \
  template void dense_backward<Exec>(const Exec&, DenseForm, const DenseBackward<Exec>&, const DenseShape&, \
                                     const DenseUpdate&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
