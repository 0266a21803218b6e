// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace krossfold {

/// A text from elsewhere (a class name, a column, the name of a file) as a terminal can show it. Escaped as \x1b, \u202e are:
/// control characters (C0, DEL and C1: they move the cursor, set colours and titles), the marks that change the direction of text (UAX #9: they
/// make a text look like another one), and bytes that are not UTF-8. All other text, of any language, stays as it is.
std::string printable(std::string_view text);

}  // namespace krossfold
