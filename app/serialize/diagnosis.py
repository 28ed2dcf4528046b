"""The report of the doctor as plain data."""

from dataclasses import asdict
from typing import Any

from ..lab.doctor.report import DoctorReport


def serialize_report(report: DoctorReport) -> dict[str, Any]:
    """Return a report as plain data; of texts that all engines read alike, the ids are there once."""
    return {
        "files": list(report.files),
        "worst": report.worst,
        "findings": [asdict(one) for one in report.findings],
        "columns": [asdict(column) for column in report.columns],
        "texts": [
            {
                "name": row.name,
                "text": row.text,
                "agrees": row.agrees,
                "stage": row.stage,
                "readings": [asdict(reading) for reading in (row.readings[:1] if row.agrees else row.readings)],
            }
            for row in report.rows
        ],
        "pre_tokenizers": [asdict(fit) for fit in report.fits],
    }
