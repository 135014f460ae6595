"""When the edge can work: its stores answer and have room. The service itself checks NATS."""

from servicekit.rediswatch import RedisWatch
from servicekit.service import Service

from edge.stores import Stores


def register(service: Service, redis: RedisWatch, stores: Stores) -> None:
    """Add the checks of the edge to those of the service."""
    service.ready_when("redis", redis.problem)
    service.ready_when("streams", stores.streams_problem)
    service.ready_when("stores", stores.problem)
