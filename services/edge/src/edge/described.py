"""Entry point: writes the OpenAPI description to standard output; starts nothing."""

import json
import sys

from edge.app import build
from edge.settings import EdgeSettings


def main() -> None:
    json.dump(build(EdgeSettings()).web.openapi(), sys.stdout, ensure_ascii=False, indent=1)


if __name__ == "__main__":
    main()
