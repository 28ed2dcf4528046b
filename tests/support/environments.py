"""Environments of their own, for programs as they are installed."""

import subprocess
import sys
import sysconfig
from pathlib import Path


def install_wheel(wheel, home):
    """Install a wheel alone in a new environment, and return its folder of programs.

    Its dependencies are those of this environment, found through a path file, which leads to packages but not to the
    checkout installed here.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    python = home / "bin/python"
    install = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--offline", "--no-deps", "--python", python]
    subprocess.run([*install, wheel], check=True)
    Path(packages_of(home), "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return python.parent


def packages_of(home):
    """The folder of the packages of an environment."""
    return Path(sysconfig.get_path("purelib", "venv", {"base": str(home)}))
