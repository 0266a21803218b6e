// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "krossfold/tables/table.hpp"

namespace krossfold::tables {

/// Collects a WordColumn word by word.
class WordList {
public:
  void add(std::string_view word) {
    // Files are often sorted: most words equal the one before.
    if (last_ >= 0 && words_.word[static_cast<std::size_t>(last_)] == word) {
      words_.code.push_back(last_);
      return;
    }
    auto found = number_.find(word);
    if (found == number_.end()) {
      found = number_.emplace(word, static_cast<int>(words_.word.size())).first;
      words_.word.emplace_back(word);
    }
    last_ = found->second;
    words_.code.push_back(last_);
  }
  void add_missing() { words_.code.push_back(-1); }

  /// Forgets all samples but the first `count`, though not their words.
  void keep(std::size_t count) {
    if (words_.code.size() > count) words_.code.resize(count);
  }

  /// The words that samples have.
  WordColumn words() && {
    std::vector<int> number(words_.word.size(), -1);
    std::vector<std::string> used;
    for (int& code : words_.code) {
      if (code < 0) continue;
      int& at = number[static_cast<std::size_t>(code)];
      if (at < 0) {
        at = static_cast<int>(used.size());
        used.push_back(std::move(words_.word[static_cast<std::size_t>(code)]));
      }
      code = at;
    }
    words_.word = std::move(used);
    return std::move(words_);
  }

private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view word) const { return std::hash<std::string_view>()(word); }
  };
  WordColumn words_;
  std::unordered_map<std::string, int, Hash, std::equal_to<>> number_;
  int last_ = -1;
};

}  // namespace krossfold::tables
