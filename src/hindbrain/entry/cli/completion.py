"""What a shell needs in order to complete our commands."""

import click
from click.shell_completion import get_completion_class

from hindbrain.entry.cli.call import Call, command
from hindbrain.entry.cli.values import OneOf

_VARIABLE = "_HINDBRAIN_COMPLETE"  # click's name for it; the script sets it


@command(
    examples="""
hindbrain completion bash >> ~/.bashrc
hindbrain completion zsh >> ~/.zshrc
hindbrain completion fish > ~/.config/fish/completions/hindbrain.fish
"""
)
@click.argument("shell", type=OneOf("shell", ("bash", "zsh", "fish")))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script for a shell."""
    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"There is no completion for {shell}.")
    script = made(ctx.find_root().command, {}, "hindbrain", _VARIABLE).source()
    ctx.ensure_object(Call).tell(lambda: {"shell": shell, "script": script}, [script.rstrip("\n")])
