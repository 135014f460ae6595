"""The tools of this service: arguments in, outcome out."""

from contracts.items import Document, Proposal, Relevance
from contracts.messages import Outcome
from servicekit.bus import Bus
from servicekit.tools import Toolbox

from tools_docs.arguments import CheckArgs, RetrieveArgs
from tools_docs.research import Research


def register(bus: Bus, research: Research) -> Toolbox:
    """Declare the tools on a bus."""
    toolbox = Toolbox(bus)

    @toolbox.tool(
        "documents.retrieve",
        returns=(Document, Proposal),
        phrases=(
            "welche dokumente gibt es zu",
            "suche in den dokumenten",
            "was sagt der regierungsrat zu",
            "was hat der kantonsrat beschlossen zu",
        ),
        selects=False,
    )
    async def retrieve(args: RetrieveArgs) -> Outcome:
        """Find documents of the council that may answer a question, and the proposals linked to them.

        Reports, decisions, messages to parliament, answers to interpellations, leaflets and minutes.
        Use it for questions of content (why, since when, how much, who decided), not for places or layers.
        """
        return await research.retrieve(args.query, args.filters, args.limit)

    @toolbox.tool("documents.check", returns=(Relevance,), selects=False, internal=True, for_each=Document)
    async def check(args: CheckArgs) -> Outcome:
        """Judge whether one document helps to answer a question, with a reason in words.

        The system calls it by itself for every document that was found.
        """
        return await research.check(args.query, args.document)

    return toolbox
