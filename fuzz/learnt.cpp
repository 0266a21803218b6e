// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/learnt.hpp"

#include <array>
#include <span>
#include <string_view>

#include "krossfold/tables/table.hpp"

namespace krossfold::fuzz {

namespace {

std::array<data::TableEncoding, learnt_kinds> learn() {
  constexpr std::string_view tables[learnt_kinds] = {
      "id,width,colour,kind\n1,2.5,red,a\n2,,blue,b\n3,1e-3,red,a\n4,7,,b\n", "1,2,a\n3,4,b\n5,6,a\n",
      "x,y,x,kind\n1,2,3,a\n4,5,6,b\n", "1,2,3,4\n5,6,7,8\n2,2,1,9\n"};
  std::array<data::TableEncoding, learnt_kinds> all;
  for (unsigned kind = 0; kind < learnt_kinds; ++kind) {
    tables::TableParams params;
    params.missing = kind == 3 ? "refuse" : "mean";
    params.categorical = "onehot";
    params.labelled = kind != 3;
    const auto bytes = std::as_bytes(std::span(tables[kind]));
    all[kind] = tables::fit_encoding(tables::parse_table(bytes, "learnt.csv", params), {}, params);
  }
  return all;
}

}  // namespace

const data::TableEncoding& learnt(unsigned kind) {
  static const std::array<data::TableEncoding, learnt_kinds> all = learn();
  return all[kind % learnt_kinds];
}

}  // namespace krossfold::fuzz
