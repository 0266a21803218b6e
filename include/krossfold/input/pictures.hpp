// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"
#include "krossfold/input/picture.hpp"

namespace krossfold::input {

/// The properties of a model's training images that pictures must be converted to.
struct ImageKind {
  data::ImageShape shape;
  float black = 0, white = 255;  ///< values of black and white
  bool integer = true;           ///< values are integers
  /// Grey of the border in [0, 1], by border_grey(): where most images have a dark one, that of the lightest of any class but one in
  /// twenty, at most 0.5; where most have a light one, of the darkest, at least 0.5. So images that disagree have neither.
  float border = 0;
};

/// Whether pictures can be converted to images of this shape: those of one or three channels.
inline bool takes_pictures(const data::ImageShape& shape) {
  return shape.width >= 1 && shape.height >= 1 && (shape.channels == 1 || shape.channels == 3);
}

/// Determines the ImageKind of a data set (a training part, or the support vectors of an SVM). Samples that were decoded from
/// pictures keep their values, 0 ... 255. Of others, non-negative integers
/// have the range 0 ... 255 if the highest is above 16, 0 ... 16 if it is 15 or 16 (as in fit_scale), else 0 ... the
/// highest. All other values range from the lowest to the highest.
/// Throws an input error naming the data set if its samples are not images of one or three channels.
ImageKind kind_of_images(const data::Dataset& images);

/// Whether pictures are inverted.
///   automatic  inverts a picture with a light border if the training images have a dark one (border below 1/4), and
///              vice versa (above 3/4), so that ink on paper matches MNIST's white strokes on black
enum class Invert { automatic, yes, no };

/// Parse "auto", "yes" or "no" of invert, and "white" or "black" of background into its grey. They throw an input
/// error that suggests the nearest word.
Invert parse_invert(const std::string& word);
float parse_background(const std::string& word);

struct PictureParams {
  Invert invert = Invert::automatic;
  float background = 255;  ///< grey, 0 to 255, behind transparent pictures
};

/// Converts a picture to the form of the training images: gives a grey one as many channels as they have, scales it to fit their
/// shape with its aspect ratio preserved (see resize_picture), inverts it if requested, centres it on the colour of its border,
/// maps 0 ... 255 to black ... white and, for integer images, rounds. The result has the size of kind.shape, and `made` lists all steps. A picture of the
/// right size is not resampled, so the PNG of a training image reproduces that image.
/// Precondition: the picture is grey if the training images are.
Picture fit_picture(const Picture& picture, const ImageKind& kind, const PictureParams& params = {});

/// Pictures as unlabelled samples in file order.
struct Pictures {
  data::Dataset samples;
  std::vector<std::string> made;  ///< (file): how it was converted
  std::vector<std::string> flat;  ///< files whose picture is a uniform grey or colour
};

/// Reads and fits one or more PNG or JPEG files, in grey if the training images are. Throws the input errors of read_picture().
Pictures load_pictures(const std::vector<std::string>& files, const ImageKind& kind, const PictureParams& params = {});

}  // namespace krossfold::input
