#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Debian package and the container for CPUs, from nothing: what containers/krossfold-cpu.def says is done, word for word, in
bare Debian systems: one builds the package, another one installs and uses it. KROSSFOLD_LONG_TESTS=1 selects it; as root. It
prints minutes and megabytes, of which docs/install.md has some."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "cli"))

from bare_system import BareSystem, megabytes, skip_without, take_source, timed  # noqa: E402
from container_files import stages  # noqa: E402
from krossfold_cli import content, difference  # noqa: E402

STUDY = "krossfold svm --data digits --limit 300 --grid 4x3 --folds 3 -o {}"


def setUpModule():
    skip_without("most of an hour")


class FromNothing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="kf-bare-"))
        cls.addClassCleanup(shutil.rmtree, folder, True)
        plan = stages((ROOT / "containers" / "krossfold-cpu.def").read_text())
        with timed("bare Debian"):
            bare = BareSystem(folder / "bare")
        with timed("build stage"):
            cls.builder = BareSystem(folder / "build", copy_of=bare)
            cls.addClassCleanup(cls.builder.close)
            for _, source, target in plan["build"]["files"]:
                assert source == ".", source
                take_source(cls.builder, target)
            cls.builder.open().run(plan["build"]["post"])
        with timed("final stage"):
            cls.system = BareSystem(folder / "final", copy_of=bare)
            cls.addClassCleanup(cls.system.close)
            before = megabytes(cls.system.folder)
            for origin, source, target in plan["final"]["files"]:
                assert origin == "build", origin
                (cls.package,) = cls.builder.folder.glob(source.lstrip("/"))
                shutil.copy2(cls.package, cls.system.folder / target.lstrip("/"))
            cls.system.open().run(plan["final"]["post"])
        print(f"package: {cls.package.stat().st_size / 1e6:.1f} MB; build stage: {megabytes(cls.builder.folder)} MB; final stage: "
              f"{megabytes(cls.system.folder)} MB, of which the bare Debian is {before}", file=sys.stderr)  # fmt: skip
        cls.system.run("useradd --create-home user")

    def user(self, script, check=True, **environment):
        return self.system.run("cd /home/user\n" + script, user="user:user", check=check, HOME="/home/user", **environment)

    def file(self, name):
        return self.system.folder / "home" / "user" / name

    def test_the_program_says_its_level_and_where_its_documents_are(self):
        _, out = self.user("krossfold --version")
        self.assertRegex(out, r"\Akrossfold [\d.]+ \(x86-64-v[34]\)\n\Z")
        for level in ("v3", "v4"):
            code, out = self.user("krossfold --version", check=False, KROSSFOLD_LEVEL=level)
            self.assertIn(f"x86-64-{level}" if code == 0 else "the processor lacks", out)
        self.assertIn("docs/... lies in /usr/share/doc/krossfold", self.user("krossfold --help")[1])

    def test_results_are_identical_within_a_level_on_any_number_of_ranks(self):
        for level in ("v3", "v4"):
            if self.user("krossfold --version", check=False, KROSSFOLD_LEVEL=level)[0] != 0:
                continue
            self.user(STUDY.format(f"one-{level}.h5"), KROSSFOLD_LEVEL=level)
            self.user(f"mpirun --oversubscribe -n 2 {STUDY.format(f'two-{level}.h5')}", KROSSFOLD_LEVEL=level)
            one, two = (content(self.file(f"{ranks}-{level}.h5")) for ranks in ("one", "two"))
            self.assertEqual(difference(one, two), [])

    def test_plots_are_drawn_once_their_python_is_there(self):
        self.user(STUDY.format("plotted.h5"))
        code, out = self.user("krossfold-plot-svm plotted.h5", check=False)
        self.assertEqual(code, 2)
        self.assertIn("install h5py and matplotlib", out)
        self.system.run("apt-get update; apt-get install -y --no-install-recommends python3-h5py python3-matplotlib")
        self.user("krossfold-plot-svm plotted.h5")
        self.assertEqual(self.file("plotted_heatmap.png").read_bytes()[:4], b"\x89PNG")

    def test_the_package_is_as_debian_wants_it(self):
        fields = subprocess.run(["dpkg-deb", "-f", self.package], capture_output=True, text=True, check=True).stdout
        self.assertRegex(fields, r"(?m)^Depends: .*libopenmpi.*$")
        for needed in ("libc6", "libhdf5", "libkokkos|trilinos", "libopenblas0", "openmpi-bin", "python3"):
            self.assertRegex(re.search(r"(?m)^Depends: (.*)$", fields)[1], needed)
        listed = subprocess.run(["dpkg-deb", "-c", self.package], capture_output=True, text=True, check=True).stdout
        files = [(line.split()[0], line.split()[1], line.split()[5].lstrip(".")) for line in listed.splitlines()]
        for mode, owner, name in files:
            self.assertEqual(owner, "root/root", name)
            self.assertRegex(mode, r"^(d|-)rwxr-xr-x$|^-rw-r--r--$|^l", name)
            self.assertRegex(name, r"^/(usr/((bin|libexec|share)/.*)?)?$")
        names = {name for _, _, name in files}
        for name in ("copyright", "changelog.gz", "changelog.Debian.gz", "krossfold.spdx.json", "docs/data.md"):
            self.assertIn("/usr/share/doc/krossfold/" + name, names)
        for name in ("man/man1/krossfold-svm.1", "bash-completion/completions/krossfold", "zsh/site-functions/_krossfold"):
            self.assertTrue({f"/usr/share/{name}", f"/usr/share/{name}.gz"} & names, name)
        code, out = self.system.run("for p in /usr/libexec/krossfold/krossfold-*; do ldd $p; done")
        self.assertNotIn("not found", out)
        if shutil.which("lintian"):
            found = subprocess.run(["lintian", "--allow-root", "--fail-on", "none", self.package], capture_output=True, text=True, check=True).stdout
            print(found, file=sys.stderr)
            self.assertEqual([line for line in found.splitlines() if line.startswith("E:")], [])

    def test_the_programs_are_hardened(self):
        programs = sorted((self.system.folder / "usr/libexec/krossfold").glob("krossfold-*"))
        self.assertEqual([program.name[-2:] for program in programs], ["v3", "v4"])
        for program in (self.system.folder / "usr/bin/krossfold", *programs):
            def readelf(option, program=program):
                return subprocess.run(["readelf", "-W", option, program], capture_output=True, text=True, check=True).stdout

            self.assertRegex(readelf("--dynamic"), r"FLAGS.*BIND_NOW")
            self.assertRegex(readelf("--program-headers"), "GNU_RELRO")
            self.assertRegex(readelf("--file-header"), r"Type:\s+DYN")  # it is loaded anywhere
            symbols = readelf("--dyn-syms")
            if program.name == "krossfold":  # it starts the others and has little to check
                continue
            for check in ("__stack_chk_fail", "__vsnprintf_chk", "_ZSt21__glibcxx_assert_fail"):
                self.assertIn(check, symbols)

    def test_z_removing_it_leaves_nothing(self):
        self.system.run("krossfold-plot-svm --help >/dev/null || true; apt-get purge -y krossfold")
        self.assertEqual(self.system.run("find / -xdev -iname '*krossfold*' -not -path '/home/*' -not -path '/var/log/*'")[1], "")


if __name__ == "__main__":
    unittest.main()
