// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/measures/confusion.hpp"
#include "krossfold/studies/svm/parts_layout.hpp"
#include "krossfold/studies/svm/payload.hpp"
#include "krossfold/studies/svm/units.hpp"

namespace krossfold::studies {

/// The stage of a unit of a search in parts, see run::StudyCase.
int parts_stage(const UnitKey& key);

/// The held-out samples of all parts: the sums over the parts, in their order.
FoldResult pooled(const std::vector<const FoldResult*>& parts, int classes);

/// What was measured in a part at its cell.
struct PartOutcome {
  Cell cell;                ///< common or its own; without error and value
  int held = 0, wrong = 0;  ///< held-out samples of all folds
};

/// The units of a search in parts: one for every (part, gamma, fold) of which the fold holds out samples, or for several of these
/// folds (JoinedFolds); then, once all of them have
/// records, one for every (part, fold) that finds the out-of-fold decision values at the part's cell, and the refit of each part;
/// once all of these are done, the one that joins the machines in one model. Units of one part share its distances (affinity).
class PartsStudy : public Study {
public:
  /// together: folds of a part and gamma that are one unit.
  explicit PartsStudy(const PartsLayout& search, int together = 1);
  std::vector<Unit> initial() override;
  std::vector<Unit> on_record(const Record& record) override;

  /// The grid with the errors over the held-out samples of all parts; NaN until all parts have the cell.
  const SearchRound& round() const { return round_; }
  /// The cells that all parts share, or one of each part, from the records seen so far; nothing if there are none yet. The
  /// error of the common cell is its mean over the folds.
  std::optional<Cell> common() const;
  /// (part): at the cells chosen; empty before they are.
  std::vector<PartOutcome> outcome() const;
  /// (part, gamma, C): the fraction of a part's held-out samples that are misclassified, all folds; NaN where not computed.
  std::vector<double> cell_error() const;
  /// (part): binary problems of the search that did not converge.
  std::vector<int> not_converged() const;
  /// (fold): what all parts predict of its held-out samples at the cells chosen; empty before they are chosen.
  std::vector<FoldResult> chosen() const;
  /// The pooled result of a unit (gamma, fold), once all parts have it.
  std::optional<FoldResult> pooled_at(int gamma, int fold) const;
  /// See SvmStudy::out_of_fold(); each value is that of the machine of the sample's part.
  const std::vector<double>& out_of_fold() const { return out_of_fold_; }
  const std::string& out_of_fold_failed() const { return out_of_fold_failed_; }
  /// Why there is no model although there are cells: a refit of a part failed.
  const std::string& refit_failed() const { return refit_failed_; }
  /// The keys of the out-of-fold units (part, fold), of the refits (part), and of the model, of the cells chosen.
  UnitKey out_of_fold_key(int part, int fold) const;
  UnitKey refit_key(int part) const;
  UnitKey model_key() const;

private:
  std::size_t at(int part, int gamma, int fold) const;
  std::vector<Unit> fold_units() const;
  void enter_fold(const Record& record);
  std::optional<Cell> own(int part) const;
  void choose();
  std::vector<Unit> begin_parts();
  std::vector<Unit> begin_model();
  void gather_out_of_fold();

  const PartsLayout& search_;
  int gammas_, cs_, folds_;
  JoinedFolds joined_;
  SearchRound round_;
  std::vector<std::optional<PartFoldResult>> result_;  ///< (part, gamma, fold)
  std::vector<int> missing_;                           ///< (gamma, fold): parts whose result is still to come
  std::vector<Cell> cell_;                             ///< (part): chosen; empty before
  std::map<UnitKey, Record> later_;  ///< records of the units that follow the search, without failed ones' payload
  std::set<UnitKey> seen_, waiting_;
  int stage_ = 0;  ///< 0: search, 1: out-of-fold and refits, 2: model, 3: ended
  std::vector<double> out_of_fold_;
  std::string out_of_fold_failed_, refit_failed_;
};

}  // namespace krossfold::studies
