// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace krossfold::cli {

/// Makes an illegal instruction (SIGILL) end the program with a message that says what the program was built for. It also takes effect
/// before main(), because such an instruction may be in any initialiser; calling it links it in.
void explain_illegal_instructions();

}  // namespace krossfold::cli
