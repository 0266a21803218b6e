# SPDX-License-Identifier: BSD-3-Clause
"""Reads definition files of Apptainer and Dockerfiles, as far as those of containers/ go."""

import re


def stages(text):
    """{stage: {"From": image, "files": [(stage it comes from, source, target)], section: its text}} of a definition file."""
    found, stage, section = {}, {}, None
    for line in text.splitlines():
        header = re.match(r"(Bootstrap|From|Stage): *(\S+)", line)
        if header:
            if header[1] == "Bootstrap":
                stage, section = {"Bootstrap": header[2], "files": []}, None
            else:
                stage[header[1]] = header[2]
            if header[1] == "Stage":
                found[header[2]] = stage
        elif line.startswith("%"):
            section = line[1:].split()
            if section[0] != "files":
                stage[section[0]] = ""
        elif section and section[0] == "files" and line.split():
            stage["files"].append((section[2] if len(section) > 2 else None, *line.split()))
        elif section and section[0] != "files":
            stage[section[0]] += line + "\n"
    return found


def instructions(text):
    """[(instruction, argument)] of a Dockerfile, continued lines joined."""
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#")).replace("\\\n", " ")
    return [(line.split(None, 1)[0], re.sub(r"\s+", " ", line.split(None, 1)[1])) for line in lines.splitlines() if line.strip()]
