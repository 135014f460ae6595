"""Where the canton serves an extract."""

from dataclasses import dataclass
from urllib.parse import quote, urlencode


@dataclass(frozen=True)
class ExtractLinks:
    """`base_url` of the web service; `map_url` of the interactive map, with `{egrid}` in it."""

    base_url: str
    map_url: str | None

    def pdf(self, egrid: str) -> str:
        return f"{self.base_url.rstrip('/')}/extract/pdf/?{urlencode({'EGRID': egrid})}"

    def map(self, egrid: str) -> str | None:
        return self.map_url and self.map_url.replace("{egrid}", quote(egrid, safe=""))
