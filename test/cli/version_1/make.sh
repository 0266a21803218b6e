#!/bin/bash
# Makes the golden files of version 1 of the result file. Run in this folder with the krossfold of commit bb944a5 first in PATH.
set -euo pipefail
[[ $(krossfold --version) == "krossfold 0.1.0"* ]]
rm -rf ./*.h5 ./*.journal ./*.models expected
export OPENBLAS_NUM_THREADS=1 TMPDIR=/tmp
krossfold svm --data csv:tiny.csv --grid 2x2 --folds 2 --refine 1 --probability -o svm.h5
krossfold svm --data csv:tiny.csv --grid 6x6 --folds 3 --max-time 0.01 -o unfinished.h5 || [[ $? == 75 ]]
krossfold bag --data csv:tiny.csv --bootstraps 2 --trials 3 --folds 3 --epochs 4 --channels 1:2 --kernel 2:2 --hidden 2:4 \
    --log10-rate -2.5:-0.3 --seed 2 --prune -o bag.h5
krossfold train cnn --data csv:tiny.csv --epochs 2 --batch 20 --channels 2 --kernel 2 --hidden 4 -o train.h5
krossfold names --limit 40 --workers 1,2 --batch-per-worker 10 --rate .01 --epochs 2 --layers 1 --hidden 4 -o names.h5
mkdir expected   # what that krossfold makes of these files
for kind in svm bag train names; do
  for form in text json csv; do krossfold report $kind.h5 --format $form >expected/report.$kind.$form; done
done
for kind in svm train names; do krossfold plan $kind.h5 --format json >expected/plan.$kind.json; done
for kind in svm bag train; do krossfold predict $kind.h5 ask.csv --format csv >expected/predict.$kind.csv; done
krossfold sample names.h5 --count 5 --seed 1 >expected/sample.names.txt
