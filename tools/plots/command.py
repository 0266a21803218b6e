# SPDX-License-Identifier: BSD-3-Clause
"""Arguments, output and messages of the tools that draw."""

import argparse
import pathlib
import sys

from plots import plt
from krossfold.result_file import ResultFileError

FORMATS = ("png", "svg", "pdf")
plt.rcParams["svg.hashsalt"] = "krossfold"  # the same figure gives the same file


class PlotError(ResultFileError):
    """A message in the form PROBLEM (WHY) SUGGESTION."""


def arguments_of(tool, description, file_help, several=False, stem=False, add_options=None, ending="h5"):
    """The parsed command line. -o names a folder, the beginning of names (stem) or, for several input files, one file. Only files
    of the ending h5 have a checksum."""
    parser = argparse.ArgumentParser(prog=tool, description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    if several:
        parser.add_argument("files", metavar=f"FILE.{ending}", nargs="+", type=pathlib.Path, help=file_help)
        output, what = "FILE", f"the picture ({several})"
    else:
        parser.add_argument("file", metavar=f"FILE.{ending}", type=pathlib.Path, help=file_help)
        output, what = ("STEM", "beginning of the pictures' names (FILE)") if stem else ("FOLDER", "for the pictures (the file's)")
    parser.add_argument("-o", "--output", metavar=output, type=pathlib.Path, help=what)
    parser.add_argument("--format", choices=FORMATS, help="of the pictures (png)")
    if not stem and ending == "h5":
        parser.add_argument("--unverified", action="store_true", help="draw a damaged file as far as it can be read")
    if add_options:
        add_options(parser)
    return parser.parse_args()


def picture_path(arguments, name, several, stem):
    if several:
        path = arguments.output or pathlib.Path(several)
        known = path.suffix[1:] in FORMATS
        ending = arguments.format or (path.suffix[1:] if known else "png")
        return path.with_suffix("." + ending) if known else path.with_name(f"{path.name}.{ending}")
    ending = arguments.format or "png"
    if stem:
        beginning = arguments.output or arguments.file.with_suffix("")
        return beginning.with_name(f"{beginning.name}_{name}.{ending}")
    folder = arguments.output or arguments.file.parent
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{arguments.file.stem}_{name}.{ending}"


def run(tool, description, file_help, figures, several=False, stem=False, add_options=None, ending="h5"):
    """Draws and prints the path of every (name, figure) of figures(arguments). Returns the exit code: 0 done, 2 wrong
    usage or input. figures() reads and checks the input before it yields the first."""
    arguments = arguments_of(tool, description, file_help, several, stem, add_options, ending)
    try:
        for name, figure in figures(arguments):
            try:
                path = picture_path(arguments, name, several, stem)
                metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(path.suffix[1:])
                figure.savefig(path, dpi=150, metadata=metadata)
            except OSError as error:
                place = arguments.output or arguments.file.parent
                raise PlotError(f"cannot write to {place} ({error.strerror}) name another place with -o") from error
            plt.close(figure)
            print(path)
    except ResultFileError as error:
        file = "" if several or str(arguments.file) in str(error) else f"{arguments.file}: "
        print(f"{tool}: {file}{error}", file=sys.stderr)
        return 2
    return 0
