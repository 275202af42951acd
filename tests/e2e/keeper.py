"""A worker whose model is a few lines long, and named by the setting `embedder`.

python keeper.py [TEXTS [BATCHES]]: writes every text it embeds to the file TEXTS; says `hangs` and embeds no more after
so many BATCHES.
"""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from embedding import WordEmbedder

from hindbrain.app.tools import Tools
from hindbrain.core.value import replace
from hindbrain.entry.worker import work
from hindbrain.settings import Settings, load
from hindbrain.wiring import open_tools


class Watched(WordEmbedder):
    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if len(sys.argv) > 2 and len(self.calls) > int(sys.argv[2]):  # the first warms it up
            print("hangs", flush=True)
            time.sleep(600)
        if len(sys.argv) > 1:
            with Path(sys.argv[1]).open("a") as file:
                file.writelines(f"{text}\n" for text in texts)
        return super().embed(texts)


def opened(settings: Settings) -> Tools:
    fails_on = "poisoned" if settings.embedder == "fragile" else ""
    tools = open_tools(replace(settings, embedder="off"))
    if settings.embedder == "off":
        return tools
    return replace(tools, settings=settings, embedder=Watched(settings.embedder, fails_on=fails_on))


if __name__ == "__main__":
    work(load, say=lambda line: print(line, flush=True), opened=opened)
