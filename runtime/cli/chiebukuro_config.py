"""`runtime chiebukuro-config`: the memory's entry for chiebukuro-mcp."""

import os

import click

from runtime.app import prepared_home, store_path
from runtime.cli.output import print_json
from runtime.settings import load, require
from runtime.store.described import NAME, entry


@click.command("chiebukuro-config")
def command() -> None:
    """
    Print the memory's entry for chiebukuro.json.

    For chiebukuro-mcp, which reads databases that are registered there. `runtime mcp
    chiebukuro` needs no entry for the memory.
    """
    home = prepared_home(os.environ)
    settings = require(load(home.config, os.environ))
    path = os.path.abspath(store_path(home, settings))
    print_json({"databases": {NAME: entry(path)}})
