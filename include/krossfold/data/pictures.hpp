// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"
#include "krossfold/data/read_png.hpp"

namespace krossfold::data {

/// The images that a model was trained on, as far as pictures must become like them.
struct ImageKind {
  ImageShape shape;
  float black = 0, white = 255;  ///< values of the darkest and the lightest pixel
  bool integer = true;           ///< whole numbers
  float border = 0;              ///< grey of the border in [0, 1]: the median over the outermost pixels of all images
};

/// What the images of a data set (a training part, or the support vectors of a machine) have in common. Whole numbers from
/// 0 on mean 0 ... 255 if one is above 16, 0 ... 16 if one is 15 or 16 (as fit_scale has it), else 0 ... the highest. Other
/// values reach from the lowest to the highest.
/// Throws an input error, naming the data set, if its samples are no images of one channel.
ImageKind kind_of_images(const Dataset& images);

/// Whether pictures are turned into their negatives.
///   automatic  those whose border is light, where the training images have a dark one (border below 1/4), and the other
///              way round (above 3/4): ink on paper becomes like MNIST's white strokes on black
enum class Invert { automatic, yes, no };

/// "auto", "yes", "no" of --invert, and the grey of "white", "black" of --background; throw an input error with the nearest
/// word.
Invert parse_invert(const std::string& word);
float parse_background(const std::string& word);

struct PictureParams {
  Invert invert = Invert::automatic;
  float background = 255;  ///< grey, 0 to 255, on which transparent pictures are laid
};

/// Brings a picture into the form of the training images: scaled until it fits into their shape with its own proportions
/// (see resize_picture), inverted if it is to be, put in the middle of the shape on the grey of its border, 0 ... 255 mapped
/// onto black ... white and, for whole-number images, rounded. `width`, `height` are then those of kind.shape and `made`
/// tells all steps. A picture of the right size is only mapped: the PNG of a training image gives that image.
Picture fit_picture(const Picture& picture, const ImageKind& kind, const PictureParams& params = {});

/// Pictures as samples: unlabelled, in the order of the files.
struct Pictures {
  Dataset samples;
  std::vector<std::string> made;  ///< (file): how it was converted
  std::vector<std::string> flat;  ///< files that are one grey all over
};

/// Reads and fits PNG files, at least one. Throws the input errors of read_png.
Pictures load_pictures(const std::vector<std::string>& files, const ImageKind& kind, const PictureParams& params = {});

}  // namespace krossfold::data
