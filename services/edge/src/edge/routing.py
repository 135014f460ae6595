"""Routes whose bodies and answers are contracts."""

from collections.abc import Callable, Coroutine
from http import HTTPStatus
from inspect import signature
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel

from edge import bodies, languages, shapes
from edge.shapes import Shape


class ContractRoute(APIRoute):
    """A route that knows what its body may cost before FastAPI looks at it.

    `Annotated[Model, Shape(...)]` says how much a body may hold; without a shape it is that of a message.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        if self.body_field is None:
            return handle
        declared = self.body_field.field_info
        model: Any = declared.annotation
        shape = next((each for each in declared.metadata if isinstance(each, Shape)), shapes.CHAT)
        takes = signature(self.endpoint)
        says_itself = takes.return_annotation is Response and not self.dependencies
        is_plain = says_itself and [*takes.parameters][:-1] == ["request"]

        async def handled(request: Request) -> Response:
            body = await bodies.read(request, model, shape)
            # A field of the model: what else came along has not been checked.
            if "language" in model.model_fields:
                languages.say(request.scope, body.language)
            if is_plain:
                # FastAPI would have nothing to find for it, and nothing to write.
                answer: Response = await self.endpoint(request, body)
                return answer
            return await handle(_Read(request, body))

        return handled


class _Read(Request):
    """A request whose body is a model already: FastAPI takes it for what it is."""

    def __init__(self, request: Request, model: BaseModel) -> None:
        super().__init__(request.scope, request.receive)
        self._model = model

    async def body(self) -> bytes:
        return b"{}"

    async def json(self) -> BaseModel:
        return self._model


class ContractRouter(APIRouter):
    """Answers leave out what is absent, and where there is GET there is HEAD."""

    def __init__(self, **options: Any) -> None:
        super().__init__(route_class=ContractRoute, **options)

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        options["response_model_exclude_none"] = True
        if options["status_code"] == HTTPStatus.NO_CONTENT:
            # Nothing has no media type.
            options["response_class"] = Response
        super().add_api_route(path, endpoint, **options)
        if options["methods"] == ["GET"]:
            options |= {"methods": ["HEAD"], "include_in_schema": False}
            super().add_api_route(path, endpoint, **options)
