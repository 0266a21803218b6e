# SPDX-License-Identifier: BSD-3-Clause
# Rscript export.R TABLES FOLDER [NAME ...]
# Writes FOLDER/NAME.train.csv and NAME.test.csv for the lines of TABLES, real data of R packages: 70 % of the samples of each class train, at
# most so many in all, and 30 % test, at most 3000. Samples without a label are left out. Packages that are not installed are named.
arguments <- commandArgs(TRUE)
tables <- read.table(arguments[1], sep = "|", quote = "", comment.char = "#", colClasses = "character",
                     col.names = c("name", "package", "object", "label", "most", "drop"))
folder <- arguments[2]
if (length(arguments) > 2) tables <- tables[tables$name %in% arguments[-(1:2)], ]
for (row in seq_len(nrow(tables))) {
  one <- tables[row, ]
  place <- new.env()
  try(suppressWarnings(data(list = one$object, package = one$package, envir = place)), silent = TRUE)
  if (!exists(one$object, place, inherits = FALSE)) {
    found <- try(getExportedValue(one$package, one$object), silent = TRUE)
    if (inherits(found, "try-error")) {
      cat(one$name, "is left out: package", one$package, "is not installed\n")
      next
    }
    assign(one$object, found, place)
  }
  samples <- as.data.frame(get(one$object, place))
  samples <- samples[!is.na(samples[[one$label]]), !(names(samples) %in% strsplit(one$drop, "; ")[[1]])]
  set.seed(1)
  most <- if (nchar(one$most)) as.integer(one$most) else 4000
  train <- integer(0)
  test <- integer(0)
  for (class in unique(samples[[one$label]])) {
    of_class <- which(samples[[one$label]] == class)
    of_class <- of_class[sample.int(length(of_class))]
    count <- round(min(0.7, most / nrow(samples)) * length(of_class))
    if (count == 0) next
    train <- c(train, head(of_class, count))
    test <- c(test, head(of_class[-seq_len(count)], max(1, round(min(0.3, 3000 / nrow(samples)) * length(of_class)))))
  }
  write.csv(samples[sample(train), ], file.path(folder, paste0(one$name, ".train.csv")), row.names = FALSE)
  write.csv(samples[sample(test[!is.na(test)]), ], file.path(folder, paste0(one$name, ".test.csv")), row.names = FALSE)
}
