// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/ordered_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "krossfold/core/error.hpp"

namespace krossfold::parallel {
namespace {

/// Avoids a product, which the compiler could contract with the sum into an FMA.
float number_of(int shard, std::int64_t k) {
  return std::sin(static_cast<float>(k)) / static_cast<float>(1 + shard * shard % 7);
}

Matrix<float, Device> own_numbers(const Communicator& comm, int shards, std::int64_t length) {
  const int own = shards / comm.size();
  const Matrix<float, Device> all("krossfold::test::own", own, length);
  const auto host = host_mirror(all);
  for (int s = 0; s < own; ++s) {
    for (std::int64_t k = 0; k < length; ++k) host(s, k) = number_of(comm.rank() * own + s, k);
  }
  Kokkos::deep_copy(all, host);
  return all;
}

TEST(OrderedSum, has_the_bits_of_a_sum_in_the_order_of_the_shards_on_any_number_of_ranks) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const int per_rank : {1, 2, 5}) {
    const int shards = per_rank * comm.size();
    for (const std::int64_t length : {std::int64_t{1}, std::int64_t{7}, std::int64_t{10001}}) {
      for (const SumOn on : {SumOn::all, SumOn::root}) {
        OrderedSum<Device> ordered_sum(comm, shards, length, on);
        const Vector<float, Device> sum("krossfold::test::sum", length);
        for (int again = 0; again < 2; ++again) {
          Kokkos::deep_copy(sum, -1.0f);
          ordered_sum(Device(), sum, own_numbers(comm, shards, length));
          const auto found = on_host(sum);
          for (std::int64_t k = 0; k < length; ++k) {
            float expected = number_of(0, k);
            for (int s = 1; s < shards; ++s) expected += number_of(s, k);
            if (on == SumOn::root && !comm.is_root()) expected = -1;
            ASSERT_EQ(found(k), expected) << shards << " shards, number " << k;
          }
        }
      }
    }
  }
}

TEST(OrderedSum, of_pieces_that_are_under_way_together) {
  const Communicator comm(MPI_COMM_WORLD);
  const std::vector<std::int64_t> begin{0, 3, 3004, 20011};
  for (const SumOn on : {SumOn::all, SumOn::root}) {
    for (const int per_rank : {1, 3}) {
      const int shards = per_rank * comm.size();
      const auto own = own_numbers(comm, shards, begin.back());
      const Vector<float, Device> sum("krossfold::test::sum", begin.back());
      std::vector<OrderedSum<Device>> piece;
      const auto part = [&](std::size_t p) {
        return Vector<float, Device>(sum.data() + begin[p], begin[p + 1] - begin[p]);
      };
      for (std::size_t p = 0; p < 3; ++p) piece.emplace_back(comm, shards, begin[p + 1] - begin[p], on);
      for (std::size_t p = 3; p-- > 0;) piece[p].begin(Device(), own, begin[p]);
      for (std::size_t p = 3; p-- > 0;) piece[p].add(Device(), part(p));
      for (std::size_t p = 0; p < 3; ++p) piece[p].end(part(p));
      if (on == SumOn::root && !comm.is_root()) continue;
      const auto found = on_host(sum);
      for (std::int64_t k = 0; k < begin.back(); ++k) {
        float expected = number_of(0, k);
        for (int s = 1; s < shards; ++s) expected += number_of(s, k);
        ASSERT_EQ(found(k), expected) << shards << " shards, number " << k;
      }
    }
  }
}

TEST(OrderedSum, of_shards_that_cannot_be_shared_equally_is_refused) {
  const Communicator comm(MPI_COMM_WORLD);
  EXPECT_THROW(OrderedSum<Device>(comm, 0, 5, SumOn::all), Error);
  if (comm.size() > 1) {
    EXPECT_THROW(OrderedSum<Device>(comm, comm.size() + 1, 5, SumOn::all), Error);
  }
}

}  // namespace
}  // namespace krossfold::parallel
