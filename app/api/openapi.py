"""The OpenAPI document of the operations, made of their models."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from app.api.models import Failure, Unsigned
from app.api.operations import Operation

_REF = "#/components/schemas/{model}"
_STATUSES = {
    400: "The request is malformed.",
    401: "The token is missing, forged or expired.",
    403: "The server is open on loopback only.",
    404: "There is no such thing, or it is somebody else's.",
    409: "What is asked for does not fit what stands.",
    413: "The body is too long.",
    503: "The database does not answer.",
}


def document(operations: Sequence[Operation]) -> dict[str, Any]:
    """An OpenAPI 3.1 document."""
    given: set[type[BaseModel]] = {Failure, Unsigned, *(each.gives for each in operations)}
    taken = {each.takes for each in operations if each.takes}
    paths: dict[str, dict[str, Any]] = {}
    for each in operations:
        paths.setdefault(each.path, {})[each.method.lower()] = _described(each)
    modes: dict[type[BaseModel], JsonSchemaMode] = dict.fromkeys(given, "serialization")
    modes |= dict.fromkeys(taken, "validation")
    named = sorted(modes.items(), key=lambda each: each[0].__name__)
    _, schemas = models_json_schema(named, ref_template=_REF)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "longhaul: your users' data",
            "version": "1",
            "description": "What the bot remembers: seen, corrected, erased, taken along.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"bearer": []}],
    }


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of `model`, on its own."""
    return model.model_json_schema(mode="serialization")


def _described(operation: Operation) -> dict[str, Any]:
    parts = [part[1:-1] for part in operation.path.split("/") if part.startswith("{")]
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in parts
    ]
    parameters += [
        {
            "name": query.name,
            "in": "query",
            "required": False,
            "description": query.says,
            "schema": {**TypeAdapter(query.type).json_schema(), "default": query.default},
        }
        for query in operation.queries
    ]
    statuses = {*operation.refuses, 503, *((413,) if operation.takes else ())}
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.says,
        "parameters": parameters,
        "responses": {
            "200": {
                "description": "Done.",
                "content": {"application/json": {"schema": _ref(operation.gives)}},
            },
            **{str(status): _failure(status) for status in sorted(statuses)},
        },
    }
    if operation.takes:
        content = {"application/json": {"schema": _ref(operation.takes)}}
        described["requestBody"] = {"required": True, "content": content}
    return described


def _failure(status: int) -> dict[str, Any]:
    model = Unsigned if status in (401, 403) else Failure
    content = {"application/json": {"schema": _ref(model)}}
    return {"description": _STATUSES[status], "content": content}


def _ref(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": _REF.format(model=model.__name__)}
