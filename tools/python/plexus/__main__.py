"""`python -m plexus` starts the program, with the arguments of this process."""

import os
import shutil
import sys


def main():
    packaged = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plexus-program")
    program = os.environ.get("PLEXUS_PROGRAM")
    if not program and os.path.exists(packaged):
        program = packaged
    program = program or shutil.which("plexus")
    if not program or os.path.realpath(program) == os.path.realpath(sys.argv[0]):
        sys.exit("plexus: the program is not installed; PLEXUS_PROGRAM names it")
    os.execv(program, ["plexus"] + sys.argv[1:])


if __name__ == "__main__":
    main()
