"""A folder of a few files, and archives of files."""

import io
import tarfile
import zipfile

FILES = {"a/b.py": b"print(1)\n", "a/.gitignore": b"*.log\n", "a/c.log": b"left out", "d.md": b"Hello, world"}


def pack_zip(files):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as writer:
        for name, data in files.items():
            writer.writestr(name, data)
    return archive.getvalue()


def pack_tar(files, mode="w"):
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode=mode) as writer:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            writer.addfile(member, io.BytesIO(data))
    return archive.getvalue()
