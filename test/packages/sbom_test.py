#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/sbom writes a valid SPDX 2.3 document that names all that the program links, and nothing is downloaded without a checksum."""

import functools
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ["KROSSFOLD_EXECUTABLE"])
SMALL = shutil.which("true")  # a program with few libraries
SBOM = ROOT / "tools" / "sbom"
# What the specification demands (SPDX 2.3, clauses 6, 7 and 11).
OF_DOCUMENT = ("spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo")
OF_PACKAGE = ("name", "SPDXID", "downloadLocation")
FETCHES = re.compile(r"\burlopen\(|\burlretrieve\(|\brequests\.get\(|\bcurl\s+-|\bwget\s|file\(DOWNLOAD|\bFetchContent_Declare\(|ExternalProject_Add\(")
CHECKS = re.compile(r"sha256|URL_HASH|EXPECTED_HASH")


def needed(program):
    """The DT_NEEDED entries by readelf, which tools/sbom does not use."""
    listing = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True, env={**os.environ, "LC_ALL": "C"}).stdout
    return re.findall(r"\(NEEDED\).*\[(.+)\]", listing)


def run_sbom(*words, preexec_fn=None, **environment):
    return subprocess.run([sys.executable, SBOM, *words], capture_output=True, text=True, check=False, preexec_fn=preexec_fn,
                          env={**os.environ, **environment})  # fmt: skip


class Document(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        build = os.environ.get("KROSSFOLD_BUILD")
        command = [PROGRAM, *(["--build", build] if build else [])]
        cls.text = run_sbom(*command, SOURCE_DATE_EPOCH="1700000000").stdout
        cls.document = json.loads(cls.text)
        cls.packages = {package["SPDXID"]: package for package in cls.document["packages"]}

    def test_it_has_the_required_fields(self):
        for field in OF_DOCUMENT:
            self.assertTrue(self.document[field], field)
        self.assertEqual((self.document["spdxVersion"], self.document["dataLicense"]), ("SPDX-2.3", "CC0-1.0"))
        self.assertEqual(self.document["creationInfo"]["created"], "2023-11-14T22:13:20Z")
        self.assertTrue(all(re.match(r"(Tool|Person|Organization): \S", one) for one in self.document["creationInfo"]["creators"]))
        self.assertRegex(self.document["documentNamespace"], r"^https://[^#]+$")
        for package in self.document["packages"]:
            for field in OF_PACKAGE:
                self.assertTrue(package[field], (package, field))
            self.assertRegex(package["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
            self.assertRegex(package["supplier"], r"^(NOASSERTION|(Person|Organization): \S.*)$")

    def test_identifiers_are_unique_and_relationships_resolve(self):
        self.assertEqual(len(self.packages), len(self.document["packages"]))
        known = {"SPDXRef-DOCUMENT", *self.packages}
        related = set()
        for relation in self.document["relationships"]:
            self.assertLessEqual({relation["spdxElementId"], relation["relatedSpdxElement"]}, known)
            self.assertIn(relation["relationshipType"], ("DESCRIBES", "DYNAMIC_LINK", "CONTAINS"))
            related.add(relation["relatedSpdxElement"])
        self.assertEqual(related, set(self.packages))

    def test_every_library_that_the_program_needs_is_named(self):
        names = {package["name"] for package in self.document["packages"]}
        wanted = needed(PROGRAM)
        self.assertGreater(len(wanted), 3)
        self.assertLessEqual(set(wanted), names)

    def test_checksums_are_those_of_the_files(self):
        for package in self.document["packages"]:
            path = PROGRAM if package["name"] == "krossfold" else pathlib.Path(package.get("packageFileName", "/"))
            for checksum in package.get("checksums", []):
                self.assertEqual(checksum, {"algorithm": "SHA256", "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}, path)

    def test_versions_are_those_of_dpkg(self):
        for package in self.document["packages"]:
            for reference in package.get("externalRefs", []):
                name, version = re.match(r"pkg:deb/debian/([^@]+)@([^?]+)\?", reference["referenceLocator"].replace("%2B", "+")).groups()
                listed = subprocess.run(["dpkg-query", "-W", "-f", "${Version}\n", name], capture_output=True, text=True, check=True).stdout
                self.assertIn(version, listed.split())

    def test_what_is_compiled_in_is_named_with_a_version(self):
        if not os.environ.get("KROSSFOLD_BUILD"):
            self.skipTest("needs the build folder: KROSSFOLD_BUILD")
        contained = [self.packages[one["relatedSpdxElement"]] for one in self.document["relationships"] if one["relationshipType"] == "CONTAINS"]
        versions = {package["name"]: package["versionInfo"] for package in contained}
        self.assertLessEqual({"Kokkos", "CLI11", "nlohmann_json", "Random123"}, set(versions))
        self.assertRegex(versions["Kokkos"], r"^\d+\.\d+")


    def test_a_library_that_the_build_did_not_find_is_not_compiled_in(self):
        with tempfile.TemporaryDirectory() as folder:
            cache = "Kokkos_DIR:PATH=Kokkos_DIR-NOTFOUND\nKROSSFOLD_RANDOM123_INCLUDE:PATH=KROSSFOLD_RANDOM123_INCLUDE-NOTFOUND\nCLI11_DIR:PATH=/nowhere\n"
            pathlib.Path(folder, "CMakeCache.txt").write_text(cache)
            document = json.loads(run_sbom(SMALL, "--build", folder).stdout)
        self.assertEqual([one["name"] for one in document["packages"] if "CompiledIn" in one["SPDXID"]], ["CLI11"])


class Libraries(unittest.TestCase):
    def test_a_library_in_a_folder_with_a_blank_is_named(self):
        with tempfile.TemporaryDirectory(prefix="krossfold sbom ") as folder:
            listing = subprocess.run(["ldd", SMALL], capture_output=True, text=True, check=True).stdout
            name, path = re.search(r"(libc\S+) => (\S+)", listing).groups()
            shutil.copy(path, folder)
            made = run_sbom(SMALL, LD_LIBRARY_PATH=folder)
            (package,) = [one for one in json.loads(made.stdout)["packages"] if one["name"] == name]
            self.assertEqual(package["packageFileName"], str(pathlib.Path(folder, name).resolve()))

    def test_what_ldd_lists_is_named_or_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            tool = pathlib.Path(folder, "ldd")
            for lines, names in (("liba b.so => not found\n\tlinux-vdso.so.1 (0x7f)", ["liba b.so"]), ("liba.so =>  (0x7f)", None)):
                tool.write_text(f"#!/bin/sh\ncat <<'END'\n\t{lines}\nEND\n")
                tool.chmod(0o755)
                made = run_sbom(SMALL, PATH=f"{folder}:{os.environ['PATH']}")
                if names is None:
                    self.assertEqual(made.returncode, 2)
                    self.assertIn("cannot be named (ldd says 'liba.so =>  (0x7f)')", made.stderr)
                else:
                    self.assertEqual([one["name"] for one in json.loads(made.stdout)["packages"][1:]], names)


class Refusals(unittest.TestCase):
    def test_what_is_no_executable_is_refused(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("no program\n")
            file.flush()
            done = run_sbom(file.name)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^sbom: .* \(.*\) ")


    def test_a_time_that_is_none_is_refused(self):
        for word in ("x", "1.5", str(10**20)):
            done = run_sbom(SMALL, SOURCE_DATE_EPOCH=word)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, rf"^sbom: SOURCE_DATE_EPOCH is '{word}' \(.*\) ")

    def test_a_failed_write_leaves_the_old_file_and_no_other(self):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder, "sbom.json")
            limit = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (1000, 1000))
            for old in (None, "old\n"):
                if old:
                    output.write_text(old)
                done = run_sbom(SMALL, "-o", output, preexec_fn=limit)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual({path.name: path.read_text() for path in pathlib.Path(folder).iterdir()}, {output.name: old} if old else {})
            link = pathlib.Path(folder, "link.json")
            link.symlink_to(output)
            self.assertEqual(run_sbom(SMALL, "-o", link).returncode, 0)
            self.assertTrue(link.is_symlink())
            self.assertEqual(json.loads(output.read_text())["spdxVersion"], "SPDX-2.3")
        self.assertEqual(run_sbom(SMALL, "-o", "/dev/full").returncode, 2)
        self.assertEqual(json.loads(run_sbom(SMALL, "-o", "/dev/stdout").stdout)["spdxVersion"], "SPDX-2.3")


class Downloads(unittest.TestCase):
    def test_each_file_that_downloads_verifies_a_checksum(self):
        folders = [ROOT / name for name in ("tools", "containers", "packaging", "cmake", ".ci", "bench")]
        files = [path for folder in folders for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        texts = {path.relative_to(ROOT): path.read_text(errors="replace") for path in [ROOT / "CMakeLists.txt", *files]}
        fetching = {str(name) for name, text in texts.items() if FETCHES.search(text)}
        self.assertIn("tools/fetch-mnist", fetching)
        self.assertEqual([name for name in sorted(fetching) if not CHECKS.search(texts[pathlib.Path(name)])], [])

    def test_sources_from_other_places_in_recipes_have_a_checksum(self):
        for path in (ROOT / "packaging" / "easybuild").glob("*.eb"):
            text = path.read_text()
            if "source_urls" in text:
                self.assertRegex(text, r"(?m)^checksums = \['[0-9a-f]{64}'", path)


if __name__ == "__main__":
    unittest.main()
