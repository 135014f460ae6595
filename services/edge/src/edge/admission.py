"""Admission control: each turn passes here before anything of it is accepted."""

import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from math import ceil
from typing import Literal, NoReturn

from contracts import keys
from servicekit.days import now_in_zurich, seconds_until_midnight

from edge import errors, ledger
from edge.askers import Asker, Askers
from edge.ledger import Account, Ledger, Quota, Rate, Refusal, SharedPlaces
from edge.limit_settings import LimitSettings
from edge.line import Line, TooLong
from edge.metrics import REFUSED
from edge.pace import Pace
from edge.places import Claim, Places
from edge.stores import Stores

_MAX_RETRY_S = 60
_EVERYBODY = "all"
_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class Share:
    """What one kind of account may have."""

    turns_at_once: int
    turns_per_minute: int
    streams: int
    bytes_per_minute: int
    tokens_per_day: int | None


@dataclass
class Permit:
    """A turn that was let in. `stopped`: its end says nothing about how long turns take."""

    stopped: bool = False


@dataclass
class Admission:
    """`most`: turns at work in this process, waiting ones included."""

    settings: LimitSettings
    most: int
    ledger: Ledger
    stores: Stores
    askers: Askers
    line: Line = field(init=False)

    def __post_init__(self) -> None:
        limits = self.settings
        self.line = Line(Pace(limits.turns_at_first, self.most, limits.turn_target_s))
        self._turns = Places(self.most)
        self._streams = Places(limits.max_streams)
        self._anonymous = Share(
            limits.anonymous_turns_at_once,
            limits.anonymous_turns_per_minute,
            limits.anonymous_streams,
            limits.anonymous_bytes_per_minute,
            limits.anonymous_tokens_per_day,
        )
        self._account = Share(
            limits.account_turns_at_once,
            limits.account_turns_per_minute,
            limits.account_streams,
            limits.account_bytes_per_minute,
            limits.account_tokens_per_day,
        )
        self._address = Share(
            limits.address_turns_at_once,
            limits.address_turns_per_minute,
            limits.address_streams,
            limits.address_bytes_per_minute,
            None,
        )

    def check(self) -> None:
        """Raises `StateUnavailable`, `BusUnavailable` or `StoreFull` when no turn can begin now."""
        self._check(self.stores.check)

    def check_redis(self) -> None:
        """Raises `StateUnavailable` or `StoreFull` when nothing can be kept now."""
        self._check(self.stores.check_redis)

    def _check(self, check: Callable[[], None]) -> None:
        try:
            check()
        except errors.EdgeError as error:
            REFUSED.labels(error.code).inc()
            raise

    @asynccontextmanager
    async def turn(self, asker: Asker, session_id: str) -> AsyncIterator[Permit]:
        """A place for a turn, for as long as it is at work.

        Raises `TooManyTurns`, `RateLimited`, `QuotaSpent`, `BudgetSpent`, or as `check`, within a second.
        """
        self.check()
        claims = self._claims(asker, session_id)
        if (reason := self._turns.take(claims)) is not None:
            self._refuse(f"turns_{reason}", errors.TooManyTurns)
        name = secrets.token_hex(8)
        account = self._account_of(asker, session_id)
        permit = Permit()
        try:
            await self._enter(name, account)
            try:
                try:
                    began = await self.line.enter(claims)
                except TooLong:
                    self._refuse("busy", errors.TooManyTurns)
                try:
                    yield permit
                finally:
                    self.line.leave(claims, began, learn=not permit.stopped)
            finally:
                self.ledger.leave(name, account)
        finally:
            self._turns.give_back(claims)

    @contextmanager
    def stream(self, asker: Asker) -> Iterator[None]:
        """A place for somebody who reads along or listens. Raises `TooManyStreams`."""
        claims = [Claim(reason, key, share.streams) for reason, key, share in self._shares(asker)]
        if (reason := self._streams.take(claims)) is not None:
            self._refuse(f"streams_{reason}", errors.TooManyStreams)
        try:
            yield
        finally:
            self._streams.give_back(claims)

    async def share(self, asker: Asker) -> None:
        """Lets a map be put behind a link. Raises what `check_redis` does, or `RateLimited`."""
        self.check_redis()
        most = self.settings.shares_per_day
        rates = [
            Rate(f"rate_shares_{reason}", keys.rate("shares", reason, key), most, window=_DAY_MS)
            for reason, key, _ in self._shares(asker)
        ]
        await self._enter(secrets.token_hex(8), Account(rates=rates))

    async def _enter(self, name: str, account: Account) -> None:
        if not account:
            return
        try:
            refusal = await self.ledger.enter(name, account)
        except ledger.StoreFull:
            self.stores.redis_refuses()
            self._refuse("store_full", errors.StoreFull)
        if refusal is not None:
            self._told(refusal)

    def _told(self, refusal: Refusal) -> NoReturn:
        kind = {
            "places": errors.TooManyTurns,
            "rate": errors.RateLimited,
            "bytes": errors.RateLimited,
            "reserved": errors.TooManyTurns,
            "quota": errors.QuotaSpent,
            "budget": errors.BudgetSpent,
        }[refusal.name.partition("_")[0]]
        if refusal.retry_ms is None:
            self._refuse(refusal.name, kind, seconds_until_midnight(now_in_zurich()))
        self._refuse(refusal.name, kind, ceil(refusal.retry_ms / 1000) or None)

    def _refuse(
        self, reason: str, kind: type[errors.EdgeError], retry_after_s: int | None = None
    ) -> NoReturn:
        REFUSED.labels(reason).inc()
        if retry_after_s is None:
            # When one of those that are at work will have ended, as far as anybody knows.
            retry_after_s = max(1, min(_MAX_RETRY_S, ceil(self.line.pace.typical_s)))
        raise kind(retry_after_s=retry_after_s)

    def _shares(self, asker: Asker) -> list[tuple[Literal["principal", "address"], str, Share]]:
        """Who has limits of their own; the principal comes first."""
        if asker.principal.kind == "local":
            return []
        owner = asker.principal.owner
        if asker.principal.kind != "anonymous":
            return [("principal", owner, self._account)]
        # It costs nothing to be somebody else without an account: the address is what counts.
        return [("principal", owner, self._anonymous), ("address", asker.address, self._address)]

    def _claims(self, asker: Asker, session_id: str) -> Sequence[Claim]:
        shares = self._shares(asker)
        claims = [Claim(reason, f"{reason}:{key}", share.turns_at_once) for reason, key, share in shares]
        most = self.settings.session_turns_at_once if shares else None
        return (*claims, Claim("session", f"session:{session_id}", most))

    def _account_of(self, asker: Asker, session_id: str) -> Account:
        shares = self._shares(asker)
        budget = self.settings.budget_tokens_per_day
        places: list[SharedPlaces] = []
        rates: list[Rate] = []
        quotas: list[Quota] = []
        day = now_in_zurich().date()
        reserve = self.settings.turn_reserve_tokens
        for reason, key, share in shares:
            at_work = keys.at_work(reason, key)
            places.append(SharedPlaces(f"places_{reason}", at_work, share.turns_at_once))
            rates.append(Rate(f"rate_{reason}", keys.rate("turns", reason, key), share.turns_per_minute))
            rates.append(
                Rate(
                    f"bytes_{reason}",
                    keys.rate("bytes", reason, key),
                    share.bytes_per_minute,
                    asker.body_bytes,
                )
            )
            if share.tokens_per_day is not None:
                spent = keys.spent(key, day)
                quotas.append(Quota("quota", spent, share.tokens_per_day, reserve, at_work))
        if shares:
            most = self.settings.session_turns_at_once
            places.append(SharedPlaces("places_session", keys.at_work("session", session_id), most))
        if budget is not None:
            everybody = keys.at_work(_EVERYBODY, _EVERYBODY)
            places.append(SharedPlaces("places_all", everybody))
            quotas.append(Quota("budget", keys.spent_by_all(day), budget, reserve, everybody))
        return Account(places, rates, quotas)
