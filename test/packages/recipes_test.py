#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The recipes of packaging/ and the files of containers/: they can be read, agree with packaging/dependencies.json, the version of
the project and one another. With `spack` in PATH, its audit is run, too."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

from container_files import instructions, stages

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGING, CONTAINERS = ROOT / "packaging", ROOT / "containers"
TABLE = json.loads((PACKAGING / "dependencies.json").read_text())
VERSION = re.search(r"project\(\s*krossfold\s+VERSION\s+([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
BASES = {"debian:bookworm", "nvidia/cuda:12.6.3-devel-ubuntu24.04"}


def at_least(constraint):
    """'kokkos@3.4:+serial' -> ('kokkos', '3.4')."""
    match = re.match(r"([\w-]+)(?:@([\d.]+):)?", constraint)
    return match[1], match[2]


class Spack(unittest.TestCase):
    def setUp(self):
        """Runs package.py on stand-ins that note what it declares."""
        self.declared = {}
        module = types.ModuleType("spack.package")
        for name in ("license", "version", "variant", "depends_on", "conflicts", "requires"):
            setattr(module, name, lambda *words, directive=name, **options: self.declared.setdefault(directive, []).append((words, options)))
        module.CMakePackage, module.CudaPackage = type("CMake", (), {}), type("Cuda", (), {})
        saved = {name: sys.modules.get(name) for name in ("spack", "spack.package")}
        sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": module})
        path = PACKAGING / "spack" / "packages" / "krossfold" / "package.py"
        try:
            self.recipe = {"__file__": str(path), "__name__": "package"}
            exec(compile(path.read_text(), str(path), "exec"), self.recipe)
        finally:
            for name, value in saved.items():
                sys.modules.pop(name) if value is None else sys.modules.__setitem__(name, value)

    def test_it_depends_on_every_library_of_the_table_in_its_version(self):
        wanted = dict(at_least(words[0]) for words, options in reversed(self.declared["depends_on"]) if "when" not in options)
        for entry in TABLE["libraries"]:
            name = "blas" if entry["spack"] == "openblas" else entry["spack"]
            self.assertIn(name, wanted)
            if wanted[name] is not None:  # 2 says less than 2.0, and means the same
                numbers = [[int(part) for part in version.split(".")] for version in (wanted[name], entry["least"])]
                length = min(map(len, numbers))
                self.assertEqual(numbers[0][:length], numbers[1][:length], name)

    def test_it_builds_the_clone_that_it_is_part_of(self):
        self.assertEqual(self.recipe["ROOT"], str(ROOT))
        self.assertEqual(self.recipe["Krossfold"].git, f"file://{ROOT}")

    def test_the_environments_build_this_source_tree_for_the_gpus_of_the_presets(self):
        names = {"cpu": "krossfold@main", "cuda-a100": "krossfold@main+cuda cuda_arch=80", "cuda-h100": "krossfold@main+cuda cuda_arch=90"}
        self.assertEqual({path.name for path in (PACKAGING / "spack" / "environments").iterdir()}, set(names))
        for name, spec in names.items():
            folder = PACKAGING / "spack" / "environments" / name
            text = (folder / "spack.yaml").read_text()
            self.assertIn(f"  specs:\n    - {spec}\n", text)
            self.assertEqual((folder / re.search(r"path: (\S+)", text)[1]).resolve(), ROOT)
            self.assertTrue((folder / re.search(r"repos:\n    - (\S+)", text)[1] / "repo.yaml").exists())

    def test_the_environments_for_gpus_ask_for_an_mpi_that_takes_addresses_on_them(self):
        wanted = {"openmpi": "+cuda fabrics=ucx", "ucx": "+cuda+gdrcopy"}
        for folder in (PACKAGING / "spack" / "environments").iterdir():
            packages = (folder / "spack.yaml").read_text().split("\n  packages:\n")[1]
            found = dict(re.findall(r'^    ([\w-]+):\n      require: "?([^"\n]+)"?$', packages, re.MULTILINE))
            self.assertEqual(found.pop("openblas"), "threads=none")
            self.assertEqual(found, wanted if folder.name.startswith("cuda") else {}, folder.name)

    @unittest.skipUnless(shutil.which("spack"), "no spack in PATH")
    def test_spack_finds_nothing_to_object_to(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "repos.yaml").write_text(f"repos:\n  - {PACKAGING / 'spack'}\n")
            done = subprocess.run(["spack", "-C", folder, "audit", "packages", "krossfold"], capture_output=True, text=True, check=False)
        self.assertIn("PKG-DIRECTIVES: 0 issues found", done.stdout, done)
        self.assertNotRegex(done.stdout, r"[1-9]\d* issues? found")


class EasyBuild(unittest.TestCase):
    def read(self, path):
        values = {"SOURCE_TAR_GZ": "%(name)s-%(version)s.tar.gz", "SYSTEM": {"name": "system", "version": "system"}}
        exec(compile(path.read_text(), str(path), "exec"), values)
        return values

    def test_the_names_of_the_files_are_those_that_easybuild_looks_for(self):
        for path in sorted((PACKAGING / "easybuild").glob("*.eb")):
            values = self.read(path)
            chain = values["toolchain"]
            ending = "" if chain["name"] == "system" else f"-{chain['name']}-{chain['version']}"
            self.assertEqual(path.name, f"{values['name']}-{values['version']}{ending}.eb")

    def test_it_is_of_this_version_and_depends_on_what_the_table_names(self):
        (path,) = (PACKAGING / "easybuild").glob("krossfold-*.eb")
        values = self.read(path)
        self.assertEqual(values["version"], VERSION)
        named = {entry[0]: entry[1] for entry in values["dependencies"] + values["builddependencies"]}
        in_the_toolchain = {"OpenMPI", "OpenBLAS"}
        for entry in TABLE["libraries"]:
            if entry["easybuild"] not in in_the_toolchain:
                have, least = (re.findall(r"\d+", version) for version in (named[entry["easybuild"]], entry["least"]))
                self.assertGreaterEqual([int(part) for part in have], [int(part) for part in least], entry["name"])
        for name in ("KokkosKernels", "Random123"):  # which EasyBuild's own collection lacks
            self.assertTrue(list((PACKAGING / "easybuild").glob(f"{name}-{named[name]}*.eb")), name)


class Installation(unittest.TestCase):
    def test_code_that_installs_quotes_every_path_of_the_build(self):
        codes = []
        for path in [ROOT / "CMakeLists.txt", *(ROOT / "cmake").rglob("*.cmake"), *(ROOT / "src").rglob("CMakeLists.txt")]:
            codes += re.findall(r'install\(\s*CODE\s+"((?:[^"\\]|\\.)*)"', path.read_text(), re.DOTALL)
        self.assertEqual(len(codes), 2)
        for code in codes:
            self.assertNotRegex(re.sub(r'\\".*?\\"', "", code), r"(?<!\\)\$[{<]")


class Containers(unittest.TestCase):
    def test_the_images_they_begin_with_are_known(self):
        for path in CONTAINERS.iterdir():
            text = path.read_text() if path.is_file() else ""
            for base in re.findall(r"^(?:FROM|From:|ARG BASE=) *(\S+)", text, re.MULTILINE):
                self.assertIn(base, BASES | {"${BASE}"}, path)

    def test_apptainer_and_docker_do_the_same_on_cpus(self):
        plan = stages((CONTAINERS / "krossfold-cpu.def").read_text())
        docker = [argument for name, argument in instructions((CONTAINERS / "Dockerfile.cpu").read_text()) if name == "RUN"]
        for stage, argument in (("build", docker[0]), ("final", docker[1])):
            lines = [line.strip() for line in plan[stage]["post"].splitlines() if line.strip() and not line.strip().startswith("cd ")]
            self.assertEqual([part.strip() for part in argument.split("&&")], lines)

    def test_the_scripts_and_options_that_they_name_exist(self):
        usage = subprocess.run([ROOT / "tools" / "setup", "--help"], capture_output=True, text=True, check=True).stdout
        modules = subprocess.run([ROOT / "tools" / "setup", "--modules", "--help"], capture_output=True, text=True, check=True).stdout
        for path in CONTAINERS.iterdir():
            if not path.is_file():
                continue
            text = path.read_text().replace("\\\n", " ")
            for line in re.findall(r"tools/setup ([^\n]*)", text):
                for option in re.findall(r"(?:^| )(--[a-z-]+)", re.split(r" -- | && ", line)[0]):
                    self.assertIn(option, usage + modules, path)
            for script in re.findall(r"(?:tools|containers)/[\w-]+(?=[ \n])", text):
                self.assertTrue((ROOT / script).exists() or script == "containers/archives", f"{path}: {script}")

    def test_the_shell_can_read_their_sections(self):
        texts = [(path, plan["post"]) for path in CONTAINERS.glob("*.def") for plan in stages(path.read_text()).values()]
        texts += [(path, path.read_text()) for path in CONTAINERS.glob("build-*")]
        self.assertEqual(len(texts), 4)
        for path, text in texts:
            done = subprocess.run(["sh", "-n"], input=text, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), path)

    def test_gpus_are_those_of_the_presets(self):
        presets = {preset["name"]: preset for preset in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}
        for arch, name in re.findall(r"(\w+)\) preset=(\S+) ;;", (CONTAINERS / "build-cuda").read_text()):
            self.assertEqual(presets[name]["cacheVariables"]["KROSSFOLD_REQUIRE_ARCH"], arch)


if __name__ == "__main__":
    unittest.main()
