"""How a browser is let into the hub of a service that runs already."""

import webbrowser

from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.output import dim
from hindbrain.entry.cli.verb import command, option
from hindbrain.errors import NotServing
from hindbrain.settings import load


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
    from hindbrain.entry.http.caller import signed
    from hindbrain.entry.http.whereabouts import found

    settings = load()
    service = found(settings)
    if service is None:
        raise NotServing("no service of this home runs", fix="run `hindbrain serve --open`")
    address, door = service
    link = f"{address}/login?once={signed(owner.token(settings), door)}"
    call.tell(lambda: {"address": address, "login": link}, [f"{link}  {dim('works once, for ten minutes')}"])
    if is_opened:
        webbrowser.open(link)
