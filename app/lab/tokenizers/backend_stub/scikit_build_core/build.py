"""The one function of a build backend (PEP 517) that `pip download` calls. Nothing of the package is executed."""

import os
from pathlib import Path


def prepare_metadata_for_build_wheel(directory: str, config_settings: object = None) -> str:
    """Write the metadata of the package that the environment names, and return the name of their folder."""
    name, version = os.environ["TOKENARIUM_PACKAGE"].split("==")
    folder = Path(directory) / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    return folder.name
