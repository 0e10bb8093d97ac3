"""Serves several receivers, each in a copy of this process: python3 serve.py MODULE PORT FILE [PORT FILE]..."""
import importlib
import os
import runpy
import sys

# Once for all copies.
importlib.import_module(sys.argv[1])
for port, file in zip(sys.argv[2::2], sys.argv[3::2]):
    if os.fork() == 0:
        os.environ["PORT"] = port
        os.chdir(os.path.dirname(file))
        sys.path.insert(0, os.path.dirname(file))
        runpy.run_path(file, run_name="__main__")
        os._exit(1)
for _ in sys.argv[2::2]:
    os.wait()
