// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "read_image_folder.hpp"
#include "source.hpp"

namespace krossfold::input {

/// A table with all that is in it: missing values and text are kept, whatever a study would say of them. Samples that
/// params.missing = drop leaves out are left out, and so are those without a label, group or weight, which params.kept refuses.
tables::Table read_whole_table(const Source& source, tables::TableParams params);

/// Samples that are no table; the training part of those in two parts. As read_samples() says,
/// `notes` are added to.
data::Dataset read_whole_samples(const Source& source, const tables::TableParams& params, Notes* notes = nullptr);

}  // namespace krossfold::input
