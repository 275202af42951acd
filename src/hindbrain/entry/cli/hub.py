"""How a browser is let into the hub of a service that runs already."""

import json
import webbrowser

from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.output import dim
from hindbrain.entry.cli.verb import command, option
from hindbrain.errors import NotServing
from hindbrain.settings import load

_PATIENCE_S = 10.0


@command(
    examples="""
hindbrain hub
hindbrain hub --open
"""
)
@option("--open", "is_opened", is_flag=True, help="Open it in a browser.")
def hub(call: Call, is_opened: bool) -> None:
    """Print a link that lets a browser into the hub, once.

    The hub shows what waits for you, what is remembered and why, what it is worth, and what happens. It is there while
    `hindbrain serve` runs.
    """
    from hindbrain.entry.http import owner
    from hindbrain.entry.http.whereabouts import address_of

    settings = load()
    address = address_of(settings)
    if not address:
        raise NotServing("no service of this home runs", fix="run `hindbrain serve --open`")
    link = _asked(address, owner.token(settings))
    call.tell(lambda: {"address": address, "login": link}, [f"{link}  {dim('works once, for ten minutes')}"])
    if is_opened:
        webbrowser.open(link)


def _asked(address: str, token: str) -> str:
    from urllib.error import URLError
    from urllib.request import ProxyHandler, Request, build_opener

    asked = Request(f"{address}/login", method="POST", headers={"Authorization": f"Bearer {token}"})
    try:
        with build_opener(ProxyHandler({})).open(asked, timeout=_PATIENCE_S) as answer:
            return str(json.loads(answer.read())["login"])
    except (URLError, OSError, ValueError, KeyError) as error:
        raise NotServing(
            f"the service at {address} does not answer: {error}", fix="use the link that `hindbrain serve` printed"
        ) from error
