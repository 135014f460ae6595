"""All routers of the edge."""

from datetime import timedelta
from functools import partial

from fastapi import APIRouter
from servicekit.health import Health
from servicekit.objects import open_store

from edge.agui.routes import agui_routes
from edge.api import routes
from edge.api_conversations import conversation_routes
from edge.api_feedback import feedback_routes
from edge.api_identify import identify_routes
from edge.api_layers import layer_routes
from edge.api_operations import operation_routes
from edge.api_prints import print_routes
from edge.api_shares import share_routes
from edge.api_streams import stream_routes
from edge.api_suggest import suggest_routes
from edge.auth.identities import Identities
from edge.auth.routes import auth_routes
from edge.conversations import Conversations
from edge.core import Core
from edge.feedback import FeedbackStore
from edge.mcp.endpoint import McpEndpoint
from edge.page import page_routes
from edge.shares import Shares
from edge.vocabulary import vocabulary_of


def routers_of(core: Core, identities: Identities, mcp: McpEndpoint, health: Health) -> tuple[APIRouter, ...]:
    """What is asked for most often comes first."""
    settings, askers = core.settings, core.admission.askers
    share_ttl = timedelta(days=settings.share_days)
    shares = Shares(core.redis, share_ttl, settings.max_shares_bytes)
    conversations = Conversations(
        core.redis, timedelta(days=settings.conversation_days), settings.max_conversations_bytes
    )
    feedback_ttl = timedelta(days=settings.feedback_days)
    feedback = FeedbackStore(core.redis, core.turns, feedback_ttl)
    return (
        routes(core.chat, core.turns, core.sessions, askers, core.catalogue),
        stream_routes(core.streams, core.sessions, askers, settings.send_timeout_s),
        agui_routes(core.streams, core.sessions, askers, settings),
        mcp.routes(),
        identify_routes(core.chat, core.sessions, askers, core.catalogue),
        layer_routes(core.chat, core.sessions, askers, core.catalogue),
        suggest_routes(core.suggest),
        share_routes(shares, core.admission, share_ttl),
        feedback_routes(feedback, core.sessions, core.admission, feedback_ttl),
        conversation_routes(conversations, core.chat, core.sessions, core.admission),
        print_routes(open_store(settings)),
        auth_routes(identities),
        operation_routes(health),
        page_routes(settings, partial(vocabulary_of, core.catalogue)),
    )
