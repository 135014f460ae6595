"""What a browser may do with the page: the headers that say so."""

from edge.settings import EdgeSettings


def of_page(settings: EdgeSettings) -> dict[str, str]:
    """Scripts come from this server only; maps come from the configured hosts, and nothing else does."""
    maps = " ".join(("'self'", *settings.map_hosts))
    policy = {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "font-src": "'self'",
        "manifest-src": "'self'",
        # OpenLayers draws into images and workers of its own making.
        "img-src": f"{maps} data: blob:",
        "worker-src": "'self' blob:",
        "connect-src": maps,
        "frame-ancestors": " ".join(settings.frame_ancestors) or "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "object-src": "'none'",
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {sources}" for name, sources in policy.items()),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(self), microphone=(), payment=(), usb=()",
        # Map services see which page asks; whoever is linked to does not see what was looked at.
        "Referrer-Policy": "strict-origin-when-cross-origin",
        **OF_FILES,
    }


def of_docs() -> dict[str, str]:
    """The page of the API description talks to this server, and its styles have images in them."""
    return {
        "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
        "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
        "form-action 'none'",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        **OF_FILES,
    }


OF_ALL = {
    # No answer is taken for something else than it says it is.
    "X-Content-Type-Options": "nosniff",
    # What somebody asked, and was told, is theirs. Whatever may be kept says so itself.
    "Cache-Control": "no-store",
}
"""Of every answer that does not say otherwise."""
OF_FILES = {"X-Content-Type-Options": "nosniff"}
