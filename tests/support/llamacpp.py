"""llama.cpp's own library, in a process of its own, since a failed assertion ends it.

`python -m tests.support.llamacpp` reads {path: texts} as JSON and writes {path: ids of each text, with special tokens
parsed and without}. The package xllamacpp has the library; its Python interface does not tokenize without weights.
"""

import ctypes
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

POINTERS = ("progress", "progress_data", "overrides")
FLAGS = ("vocab_only", "check_tensors", "use_extra_bufts", "no_host", "no_alloc", "load_mtp")


class ModelParams(ctypes.Structure):
    """`llama_model_params` of include/llama.h."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("devices", "buffers")),
        *((name, ctypes.c_int32) for name in ("gpu_layers", "split_mode", "load_mode", "lazy_mode", "main_gpu")),
        *((name, ctypes.c_void_p) for name in ("tensor_split", *POINTERS)),
        *((name, ctypes.c_bool) for name in FLAGS),
    )


def load_library():
    package = Path(find_spec("xllamacpp").origin).parent
    library = ctypes.CDLL(str(next(package.glob("xllamacpp*.so"))))
    library.llama_model_default_params.restype = ModelParams
    library.llama_model_load_from_file.argtypes = (ctypes.c_char_p, ModelParams)
    for function in (library.llama_model_load_from_file, library.llama_model_get_vocab):
        function.restype = ctypes.c_void_p
    for function in (library.llama_model_get_vocab, library.llama_model_free):
        function.argtypes = (ctypes.c_void_p,)
    ids, flag = ctypes.POINTER(ctypes.c_int32), ctypes.c_bool
    texts = (ctypes.c_char_p, ctypes.c_int32)
    library.llama_tokenize.argtypes = (ctypes.c_void_p, *texts, ids, ctypes.c_int32, flag, flag)
    library.llama_backend_init()
    return library


def tokenize(library, path, texts):
    """Return the ids of each text, with the special tokens around it, twice: those in it parsed, and as text."""
    params = library.llama_model_default_params()
    params.vocab_only = True
    model = library.llama_model_load_from_file(path.encode(), params)
    assert model, f"llama.cpp does not load {path}."
    vocabulary = library.llama_model_get_vocab(model)

    def encode(text, parse):
        data = text.encode()
        room = (ctypes.c_int32 * (len(data) + 8))()
        return room[: library.llama_tokenize(vocabulary, data, len(data), room, len(room), True, parse)]

    found = [[encode(text, parse) for parse in (True, False)] for text in texts]
    library.llama_model_free(model)
    return found


def ask_llamacpp(texts_by_path):
    """Return the ids of all texts by the path of a GGUF file; run in another process."""
    command = [sys.executable, "-m", "tests.support.llamacpp"]
    done = subprocess.run(
        command, input=json.dumps(texts_by_path), capture_output=True, encoding="utf-8", errors="replace"
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


if __name__ == "__main__":
    library = load_library()
    json.dump({path: tokenize(library, path, texts) for path, texts in json.load(sys.stdin).items()}, sys.stdout)
