"""What Hindbrain costs and how well it decides: `python -m bench` measures both and writes them down."""
