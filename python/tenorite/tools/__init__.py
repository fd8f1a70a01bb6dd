"""Programs beside the library: ``python -m tenorite.tools.install_library``."""
