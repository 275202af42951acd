"""What a shell needs in order to complete our commands."""

from hindbrain.entry.cli.call import Call
from hindbrain.entry.cli.values import OneOf
from hindbrain.entry.cli.verb import Misuse, argument, command

_VARIABLE = "_HINDBRAIN_COMPLETE"  # click's name for it; the script sets it


@command(
    examples="""
hindbrain completion bash >> ~/.bashrc
hindbrain completion zsh >> ~/.zshrc
hindbrain completion fish > ~/.config/fish/completions/hindbrain.fish
"""
)
@argument("shell", type=OneOf("shell", ("bash", "zsh", "fish")))
def completion(call: Call, shell: str) -> None:
    """Print the completion script for a shell."""
    from click.shell_completion import get_completion_class

    from hindbrain.entry.cli.main import cli

    made = get_completion_class(shell)
    if made is None:
        raise Misuse(f"There is no completion for {shell}.")
    script = made(cli, {}, "hindbrain", _VARIABLE).source()
    call.tell(lambda: {"shell": shell, "script": script}, [script.rstrip("\n")])
