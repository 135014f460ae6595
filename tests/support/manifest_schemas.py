"""Whether an object is one that Kubernetes, or KEDA, knows; strictly: no field may be unknown."""

import json
from pathlib import Path

import kubernetes_validate  # type: ignore[import-untyped]
from jsonschema import Draft202012Validator
from jsonschema import ValidationError as Invalid
from manifests import Object

__all__ = ["VERSIONS", "Invalid", "validate"]

VERSIONS = ("1.30", str(kubernetes_validate.latest_version()))
"""The oldest that has all that is used (`preStop: sleep`, `matchLabelKeys`), and the newest known."""
_SCALED = Draft202012Validator(
    json.loads((Path(__file__).parent / "scaledobject.schema.json").read_text(encoding="utf-8"))
)


def validate(document: Object, version: str) -> None:
    """Raises `Invalid`; and `SchemaNotFoundError` for a kind that this version does not have."""
    if document["apiVersion"].startswith("keda.sh/"):
        _SCALED.validate(document)
        return
    try:
        kubernetes_validate.validate(document, version, strict=True)
    except kubernetes_validate.ValidationError as error:
        raise Invalid(str(error)) from None
