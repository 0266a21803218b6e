// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/load_task.hpp"

#include "krossfold/core/serialize.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/parallel/broadcast_task.hpp"

namespace krossfold::studies {

namespace {

input::NameSet load_and_broadcast_names(const parallel::Communicator& comm, const std::string& spec) {
  std::vector<std::byte> bytes;
  parallel::on_root(comm, [&] {
    const input::NameSet names = input::load_names(spec);
    ByteWriter writer;
    writer.put_string(names.source);
    writer.put(names.digest);
    writer.put(names.count);
    writer.put(names.left_out);
    for (const std::string& name : names.name) writer.put_string(name);
    bytes = writer.take();
  });
  parallel::broadcast(comm, bytes);
  ByteReader reader(bytes, "names");
  input::NameSet all;
  all.source = reader.get_string();
  all.digest = reader.get<Digest>();
  all.count = reader.get<input::FoldCount>();
  all.left_out = reader.get<int>();
  while (!reader.at_end()) all.name.push_back(reader.get_string());
  return all;
}

}  // namespace

LoadedTask load_train_task(const parallel::Communicator& comm, bool names, const input::TaskParams& params,
                           std::uint64_t seed) {
  LoadedTask loaded;
  if (!names) {
    loaded.task.samples = parallel::load_and_broadcast(comm, [&] { return input::load_task(params, seed); });
    return loaded;
  }
  parallel::on_all(comm, [&] { input::check_no_columns("names", params.table); });
  const input::NameSet all = load_and_broadcast_names(comm, params.train);
  parallel::on_all(comm, [&] { loaded.task.names = input::split_names(all, params.limit); });
  loaded.note = text(all.source, ": ", all.size(), " names; ", all.count.folded, " characters folded, ",
                     all.count.dropped, " dropped, ", all.left_out, " entries without letters left out");
  return loaded;
}

}  // namespace krossfold::studies
