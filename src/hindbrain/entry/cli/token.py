"""How a person gets the secrets that the service asks for, and takes them back."""

from collections.abc import Sequence

from hindbrain.core.hints import Any
from hindbrain.core.model.token import Right, Token
from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.grammar import family
from hindbrain.entry.cli.output import bold, dim, line, moment, table
from hindbrain.entry.cli.records import plain
from hindbrain.entry.cli.verb import Misuse, argument, command, option
from hindbrain.settings import load


@command(
    name="token",
    examples="""
hindbrain token
hindbrain token --renew
hindbrain token add ci --rights read,write --project app
hindbrain token revoke ci
""",
)
@option("--renew", is_flag=True, help="Make a new one; the old one opens nothing any more.")
def _printed(call: Call, renew: bool) -> None:
    """Print the token that the service asks for; it opens everything.

    It lies in a file of the home that only you can read. For others make named ones, with less rights, for one
    project.
    """
    from hindbrain.entry.http import owner

    settings = load()
    secret = owner.renewed(settings) if renew else owner.token(settings)
    call.tell(lambda: {"token": secret}, [secret])


@command(name="add", examples="hindbrain token add ci --rights read --project app")
@argument("name", metavar="NAME")
@option("--rights", default="read", metavar="LIST", help=f"Some of {', '.join(Right)}, with commas between them.")
@option("--everywhere", is_flag=True, help="For all projects, not for one.")
def _added(call: Call, name: str, rights: str, everywhere: bool) -> None:
    """Make a token for somebody else; it is shown this once.

    Without --project it is for the project around the current folder.
    """
    if everywhere and call.project:
        raise Misuse("Give --project or --everywhere, not both.")
    wanted = [right.strip() for right in rights.split(",") if right.strip()]
    with call.open(is_new=True) as hindbrain:
        issued = hindbrain.issue_token(name, wanted, is_everywhere=everywhere)
    about = dim(f"  {', '.join(issued.token.rights)}; it is not shown again")
    call.tell(lambda: {**_record(issued.token), "token": issued.secret}, [issued.secret, about])


@command(name="list", examples="hindbrain token list --json")
def _listed(call: Call) -> None:
    """List named tokens, without their secrets."""
    with call.open() as hindbrain:
        tokens = hindbrain.tokens()
        names = {project.id: project.name for project in hindbrain.store.projects()}
    call.tell(lambda: {"tokens": [_record(one) for one in tokens]}, _rows(tokens, names))


@command(name="revoke", examples="hindbrain token revoke ci")
@argument("name", metavar="NAME")
def _revoked(call: Call, name: str) -> None:
    """Let the bearer of a named token in no more."""
    with call.open() as hindbrain:
        gone = hindbrain.revoke_token(name)
    call.tell(lambda: _record(gone), [f"{bold(line(gone.name))} opens nothing any more."])


token = family(_printed, _added, _listed, _revoked)


def _record(one: Token) -> dict[str, Any]:
    return {name: value for name, value in plain(one).items() if name != "digest"}


def _rows(tokens: Sequence[Token], names: dict[str, str]) -> Sequence[str]:
    if not tokens:
        return ["There are no named tokens."]
    heads = ("name", "rights", "project", "made", "revoked")
    rows = [
        (
            *(one.name, ", ".join(one.rights), names.get(one.project, one.project) or "all"),
            *(moment(one.created_at), moment(one.revoked_at)),
        )
        for one in tokens
    ]
    return list(table(heads, rows, styles={}))
