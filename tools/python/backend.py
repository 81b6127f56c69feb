"""The build backend of the package (PEP 517), without a requirement, so that pip needs no network.

The wheel holds the package, libplexus.so.0, the program and the methods that generate.py makes of
the operations. The library is taken from the folder that PLEXUS_BUILD names (a build of the tree),
or built in build/release, with the package's tree around it, by CMake.
"""

import base64
import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

import generate

HERE = Path(__file__).resolve().parent
TREE = HERE.parent.parent
NAME = "plexus"
TAG = "py3-none-linux_%s" % os.uname().machine
METADATA = (
    "Metadata-Version: 2.1\nName: %s\nVersion: %s\nRequires-Python: >=3.8\n"
    "Summary: An embeddable graph engine for the memory of agents\n"
)


ENTRY_POINTS = """\
[console_scripts]
plexus = plexus.__main__:main

[networkx.backends]
plexus = plexus.networkx_backend

[networkx.backend_info]
plexus = _plexus_networkx:info
"""


def _build():
    """The folder of a build that has the library."""
    given = os.environ.get("PLEXUS_BUILD")
    folder = Path(given) if given else TREE / "build" / "release"
    if not given:
        if not (TREE / "CMakeLists.txt").exists():
            raise SystemExit("plexus: set PLEXUS_BUILD to a build of Plexus; its tree is not here")
        if not (folder / "CMakeCache.txt").exists():
            subprocess.check_call(
                ["cmake", "--preset", "release", "-DPLEXUS_BUILD_TESTS=OFF",
                 "-DPLEXUS_BUILD_BENCH=OFF"],
                cwd=str(TREE),
            )
        subprocess.check_call(
            ["cmake", "--build", str(folder), "--target", "plexus_c", "plexus_cli"]
        )
    return folder


def _copy_stripped(source, target):
    """Without the names for debuggers, which are most of a checked build."""
    shutil.copy(str(source), str(target))
    if shutil.which("strip"):
        subprocess.call(["strip", "--strip-unneeded", str(target)])


def assemble(target, build=None):
    """The package as it is installed, in the folder `target`."""
    build = Path(build) if build else _build()
    package = Path(target) / "plexus"
    shutil.copytree(
        str(HERE / "plexus"), str(package), ignore=shutil.ignore_patterns("__pycache__", "*.so*")
    )
    shutil.copy(str(HERE / "_plexus_networkx.py"), str(target))
    library = build / "tools" / "c" / "libplexus.so.0"
    if not library.exists():
        raise SystemExit("plexus: %s is not there: build the target plexus_c" % library)
    _copy_stripped(library, package / "libplexus.so.0")
    program = build / "tools" / "plexus"
    if program.exists():
        _copy_stripped(program, package / "plexus-program")
    generate.write(str(package / "libplexus.so.0"), str(package))
    return package


def python_version(version):
    """1.0.0-rc.1, as the library says it, is 1.0.0rc1 here (PEP 440)."""
    numbers, _, tag = version.partition("-")
    return numbers + tag.replace(".", "")


def version_of(library):
    """The version of a library as the package has it; it is the library's own."""
    ask = ctypes.CDLL(str(library)).plexus_version
    ask.restype = ctypes.c_char_p
    return python_version(ask().decode())


def write_info(scratch, library):
    """The folder with which an installed package of that library is known."""
    version = version_of(library)
    folder = Path(scratch) / ("%s-%s.dist-info" % (NAME, version))
    folder.mkdir()
    (folder / "METADATA").write_text(METADATA % (NAME, version))
    (folder / "WHEEL").write_text(
        "Wheel-Version: 1.0\nGenerator: plexus\nRoot-Is-Purelib: false\nTag: %s\n" % TAG
    )
    (folder / "entry_points.txt").write_text(ENTRY_POINTS)
    return folder.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as scratch:
        info = write_info(scratch, assemble(scratch) / "libplexus.so.0")
        name = "%s-%s.whl" % (info[: -len(".dist-info")], TAG)
        record = []
        with zipfile.ZipFile(
            os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED, compresslevel=1
        ) as wheel:
            for path in sorted(Path(scratch).rglob("*")):
                if path.is_dir() or "__pycache__" in path.parts:
                    continue
                inside = path.relative_to(scratch).as_posix()
                data = path.read_bytes()
                entry = zipfile.ZipInfo(inside, (1980, 1, 1, 0, 0, 0))
                entry.external_attr = (path.stat().st_mode & 0xFFFF) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                wheel.writestr(entry, data)
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
                record.append("%s,sha256=%s,%d" % (inside, digest.decode(), len(data)))
            record.append("%s/RECORD,," % info)
            wheel.writestr("%s/RECORD" % info, "\n".join(record) + "\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("plexus: the package is built from its tree: pip install ./tools/python")
