// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/storage/array_file.hpp"

#include <utility>

#include "array_source.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "reader_client.hpp"

namespace krossfold::storage {

struct StoredArray::State {
  State(std::shared_ptr<ArraySource> from, ArrayFacts found) : source(std::move(from)), facts(std::move(found)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    try {
      source->close(facts.number);
    } catch (...) {  // of a process that has ended
    }
  }

  std::shared_ptr<ArraySource> source;  // keeps the file open
  ArrayFacts facts;
};

namespace {

std::uint64_t elements_of(const std::vector<std::uint64_t>& shape, std::uint64_t rows) {
  std::uint64_t count = rows;
  for (std::size_t d = 1; d < shape.size(); ++d) count *= shape[d];
  return count;
}

}  // namespace

const std::string& StoredArray::path() const { return state_->facts.path; }
const std::vector<std::uint64_t>& StoredArray::shape() const { return state_->facts.shape; }
char StoredArray::kind() const { return state_->facts.kind; }
std::size_t StoredArray::bytes() const { return state_->facts.bytes; }
const std::string& StoredArray::type() const { return state_->facts.type; }
std::uint64_t StoredArray::rows_at_once() const { return state_->facts.rows_at_once; }

void StoredArray::read(std::uint64_t first, std::uint64_t count, void* values) const {
  const std::uint64_t size = elements_of(shape(), count) * bytes();
  state_->source->read(state_->facts.number, first, count, {static_cast<std::byte*>(values), size});
}

std::vector<std::string> StoredArray::read_text(std::uint64_t first, std::uint64_t count) const {
  std::vector<std::string> words = state_->source->read_text(state_->facts.number, first, count);
  if (words.size() != elements_of(shape(), count))
    throw_run_error(text("array ", path(), " has another number of words"));
  return words;
}

bool StoredArray::has_attribute(const std::string& name) const {
  return state_->source->array_has_attribute(state_->facts.number, name);
}

ArrayAttribute StoredArray::attribute(const std::string& name) const {
  return state_->source->array_attribute(state_->facts.number, name);
}

ArrayFile::ArrayFile(const std::string& file)
    : name_(file), source_(reader_command().empty() ? open_hdf5_arrays(file) : open_arrays_elsewhere(file)) {}

PathKind ArrayFile::kind_of(const std::string& path) const { return source_->kind_of(path); }

StoredArray ArrayFile::open(const std::string& path) const {
  StoredArray array;
  array.state_ = std::make_shared<StoredArray::State>(source_, source_->open(path));
  return array;
}

std::vector<std::string> ArrayFile::listing() const { return source_->listing(); }
bool ArrayFile::has_attribute(const std::string& name) const { return source_->has_attribute(name); }
std::string ArrayFile::attribute(const std::string& name) const { return source_->attribute(name); }
std::int64_t ArrayFile::attribute(const std::string& name, std::int64_t otherwise) const {
  return source_->attribute(name, otherwise);
}

}  // namespace krossfold::storage
