#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/fetch-mnist against a file server on this machine that serves good, truncated and wrong bytes."""

import gzip
import hashlib
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "fetch-mnist"
TABLE = TOOL.parent.parent / "data" / "mnist.json"


def sha256(data):
    return hashlib.sha256(data).hexdigest()


CONTENT = {"images.gz": bytes(range(256)) * 40, "labels.gz": b"0123456789"}
GOOD = {name: gzip.compress(content, mtime=0) for name, content in CONTENT.items()}


class Server:
    """Serves the files of `bodies`; a body cut with `truncate` is announced with its whole length."""

    def __init__(self, bodies, truncate=None):
        requests = self.requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                requests.append(self.path)
                body = bodies.get(self.path.rsplit("/", 1)[-1])
                if body is None:
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[:truncate])

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/mnist/"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class FetchMnist(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        self.folder = self.root / "mnist"
        self.table = self.root / "table.json"

    def serve(self, bodies, truncate=None):
        server = Server(bodies, truncate)
        self.addCleanup(server.close)
        return server

    def run_tool(self, mirrors, *arguments, **environment):
        files = [
            {
                "name": name,
                "bytes": len(GOOD[name]),
                "sha256": sha256(GOOD[name]),
                "content_bytes": len(content),
                "content_sha256": sha256(content),
            }
            for name, content in CONTENT.items()
        ]
        self.table.write_text(json.dumps({"name": "mnist", "mirrors": mirrors, "files": files}), encoding="utf-8")
        clean = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
        clean.pop("KROSSFOLD_DATA", None)
        command = [sys.executable, str(TOOL), "--table", str(self.table), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, env={**clean, **environment})

    def fetch(self, *mirrors):
        return self.run_tool(mirrors, "--dir", str(self.folder))

    def assert_complete(self):
        self.assertEqual({path.name: path.read_bytes() for path in self.folder.iterdir()}, GOOD)

    def assert_failed_and_left_nothing(self, result, *fragments):
        self.assertEqual(result.returncode, 1, result.stderr)
        for fragment in fragments:
            self.assertIn(fragment, result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_gets_every_file_and_prints_the_folder(self):
        result = self.fetch(self.serve(GOOD).url)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.strip(), str(self.folder))
        self.assert_complete()

    def test_keeps_what_is_there_and_right_without_asking_the_server(self):
        server = self.serve(GOOD)
        self.fetch(server.url)
        asked = len(server.requests)
        self.assertEqual(self.fetch(server.url).returncode, 0)
        self.assertEqual(len(server.requests), asked)

    def test_keeps_the_right_content_compressed_otherwise(self):
        self.folder.mkdir()
        again = gzip.compress(CONTENT["images.gz"], compresslevel=1, mtime=1)
        (self.folder / "images.gz").write_bytes(again)
        self.assertEqual(self.fetch(self.serve(GOOD).url).returncode, 0)
        self.assertEqual((self.folder / "images.gz").read_bytes(), again)

    def test_replaces_a_damaged_file(self):
        self.folder.mkdir()
        (self.folder / "images.gz").write_bytes(GOOD["images.gz"][:-9])
        self.assertEqual(self.fetch(self.serve(GOOD).url).returncode, 0)
        self.assert_complete()

    def test_refuses_a_connection_that_ends_early(self):
        result = self.fetch(self.serve(GOOD, truncate=20).url)
        self.assert_failed_and_left_nothing(result, "images.gz is incomplete", f"20 of {len(GOOD['images.gz'])} bytes")

    def test_refuses_a_file_cut_on_the_server(self):
        cut = {name: body[:-5] for name, body in GOOD.items()}
        self.assert_failed_and_left_nothing(self.fetch(self.serve(cut).url), "not the file wanted", "gzip")

    def test_refuses_wrong_bytes(self):
        wrong = {name: gzip.compress(content[::-1]) for name, content in CONTENT.items()}
        self.assert_failed_and_left_nothing(self.fetch(self.serve(wrong).url), "SHA-256", sha256(GOOD["images.gz"]))

    def test_refuses_a_web_page_far_larger_than_the_file(self):
        page = {name: b"<html>" * 100_000 for name in GOOD}
        self.assert_failed_and_left_nothing(self.fetch(self.serve(page).url), "images.gz")

    def test_a_failed_download_keeps_the_old_file(self):
        self.folder.mkdir()
        (self.folder / "images.gz").write_bytes(b"old")
        self.assertEqual(self.fetch(self.serve({}).url).returncode, 1)
        self.assertEqual((self.folder / "images.gz").read_bytes(), b"old")

    def test_tries_the_next_mirror(self):
        bad = self.serve({"images.gz": GOOD["labels.gz"]})  # one file wrong, the other missing
        result = self.fetch("http://127.0.0.1:9/", bad.url, self.serve(GOOD).url)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Not Found", result.stderr)
        self.assert_complete()

    def test_url_replaces_the_mirrors(self):
        other, server = self.serve(GOOD), self.serve(GOOD)
        result = self.run_tool([other.url], "--dir", str(self.folder), "--url", server.url.rstrip("/"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((len(other.requests), len(server.requests)), (0, 2))

    def test_the_default_folder_is_where_krossfold_looks(self):
        url = self.serve(GOOD).url
        home = str(self.root)
        for environment, expected in (
            ({"KROSSFOLD_DATA": f"{home}/data"}, "data/mnist"),
            ({"XDG_CACHE_HOME": f"{home}/cache"}, "cache/krossfold/mnist"),
            ({"XDG_CACHE_HOME": "", "HOME": home}, ".cache/krossfold/mnist"),
        ):
            with self.subTest(expected=expected):
                result = self.run_tool([url], **environment)
                self.assertEqual(result.stdout.strip(), f"{home}/{expected}", result.stderr)

    def test_says_so_when_the_folder_cannot_be_made(self):
        (self.root / "mnist").write_text("a file")
        result = self.fetch(self.serve(GOOD).url)
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot write to", result.stderr)

    def test_wrong_usage_is_exit_2(self):
        result = subprocess.run([sys.executable, str(TOOL), "--table", "/nowhere"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("/nowhere", result.stderr)

    def test_the_real_table_recognises_the_real_files(self):
        data = os.environ.get("KROSSFOLD_DATA")
        if not data or not (pathlib.Path(data) / "mnist").is_dir():
            self.skipTest("needs MNIST: set KROSSFOLD_DATA to the folder that holds mnist/")
        command = [sys.executable, str(TOOL), "--dir", f"{data}/mnist", "--url", "http://127.0.0.1:9/"]
        result = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_the_real_table_is_whole(self):
        table = json.loads(TABLE.read_text(encoding="utf-8"))
        self.assertEqual(len(table["files"]), 4)
        for file in table["files"]:
            self.assertRegex(file["sha256"] + file["content_sha256"], "^[0-9a-f]{128}$")


if __name__ == "__main__":
    unittest.main()
