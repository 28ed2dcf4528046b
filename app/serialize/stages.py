"""A text's way through a pipeline as plain data: every stage with offsets, the encodings, the pipeline itself."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ..files.tokenizer_json.components import as_component
from ..lab.pipeline.reasons import TokenChange
from ..lab.pipeline.run import PipelineRun
from ..scratch.compat.pipeline.bands import Band
from ..scratch.compat.pipeline.batches import PipelineEncoding


def serialize_run(
    run: PipelineRun,
    *,
    agrees: bool | None,
    before: PipelineRun | None = None,
    changes: Sequence[TokenChange] = (),
) -> dict[str, Any]:
    """Return a run as plain data; `before` is that of the unchanged pipeline, `changes` are the tokens that differ."""
    stages = [_stage(run, band) for band in run.bands]
    stages += [_stage(run, band) | {"sequences": [*sequences]} for band, sequences in run.later]
    return {
        "tokenizer": run.source.id,
        "equivalent_of": run.source.equivalent or "tokenizer.json",
        "changed": bool(run.question.changes),
        "agrees": agrees,
        "stages": [*stages, *(_stage(run, band) for band in run.back)],
        "pair_stages": [_stage(run, band) for band in run.pair_bands],
        "encodings": [_serialize_encoding(one) for one in run.encodings],
        "decoded": run.decoded,
        "round_trip": run.round_trip,
        "before": None
        if before is None
        else {**_serialize_encoding(before.encodings[0]), "round_trip": before.round_trip},
        "changes": [asdict(change) for change in changes],
        "pipeline": {stage: as_component(stage, parts) for stage, parts in run.parts.items()}
        | {"model": {"type": run.source.kind, **run.options}},
    }


def _stage(run: PipelineRun, band: Band) -> dict[str, Any]:
    parts = run.parts.get(band.stage) or ()
    known = band.component is not None and band.component < len(parts)
    answer = {
        "stage": band.stage,
        "type": parts[band.component]["type"] if known and band.component is not None else None,
        "index": band.component,
        "texts": band.texts,
        "starts": band.starts,
        "ends": band.ends,
        "kinds": band.kinds,
    }
    return answer if band.ids is None else {**answer, "ids": band.ids}


def _serialize_encoding(one: PipelineEncoding) -> dict[str, Any]:
    tokens: Sequence[Any] = one.tokens
    return {
        "ids": [token.id for token in tokens],
        "tokens": [token.text for token in tokens],
        "type_ids": [token.type_id for token in tokens],
        "attention_mask": [int(token.attended) for token in tokens],
        "special_tokens_mask": [int(token.special) for token in tokens],
        "starts": [token.start for token in tokens],
        "ends": [token.end for token in tokens],
        "sequences": [token.sequence for token in tokens],
        "overflowing": [_serialize_encoding(part) for part in one.overflowing],
    }
