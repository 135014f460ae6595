"""Wires the orchestrator."""

from datetime import timedelta

from redis.asyncio import Redis
from servicekit import rediswatch
from servicekit.lag import Lag
from servicekit.service import Service

from orchestrator.handlers import register
from orchestrator.service import TurnService
from orchestrator.settings import Settings
from orchestrator.store import RedisTurnStore
from orchestrator.transition import Limits


def build() -> Service:
    settings = Settings()
    service = Service("orchestrator", settings)
    redis = Redis.from_url(settings.redis_url, socket_connect_timeout=settings.redis_timeout_s)

    store = RedisTurnStore(redis, settings.redis_timeout_s)
    watch = rediswatch.RedisWatch(rediswatch.client(settings.redis_url), service.give_up)
    service.on_start(watch.start)
    service.ready_when("redis", watch.problem)
    service.on_stop(watch.stop)
    service.on_stop(store.close)
    limits = Limits(
        choice_ttl=timedelta(seconds=settings.choice_ttl_s),
        item_timeout=timedelta(seconds=settings.check_timeout_s),
    )
    register(service.bus, TurnService(store, service.bus, limits))
    Lag(service.bus)
    return service


def main() -> None:
    build().run()


if __name__ == "__main__":
    main()
