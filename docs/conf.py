"""Sphinx's configuration; docs/build.py makes the folder that it is read in."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent)]

import pages  # noqa: E402
import tenorite  # noqa: E402

SETTINGS = pages.settings(Path(__file__).parent)

project = "Tenorite"
author = "The Tenorite authors"
project_copyright = "the Tenorite authors, MIT licence"
release = version = tenorite.__version__
extensions = ["links", "pages", "myst_parser", "sphinx_copybutton"]
html_theme = "furo"
html_title = "Tenorite"
html_static_path = ["_static"]
html_css_files = ["tenorite.css"]
html_js_files = ["names.js"]
html_favicon = "_static/favicon.svg"
html_search_scorer = str(Path(__file__).parent / "_static/scorer.js")
html_baseurl = SETTINGS["site"] and f"{SETTINGS['site']}/{version}/"
html_show_sourcelink = html_copy_source = False
html_use_index = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b6e6e", "color-brand-content": "#0b6e6e"},
    "dark_css_variables": {"color-brand-primary": "#4fc3c3", "color-brand-content": "#4fc3c3"},
    "source_edit_link": SETTINGS["edit"].replace("{path}", "docs/{filename}"),
}
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/versions.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
if SETTINGS["source"]:
    source_address = SETTINGS["source"]
exclude_patterns = ["programs", "made"]
templates_path = ["_templates"]
default_role = "code"
smartquotes = False
add_module_names = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
suppress_warnings = ["ref.python"]
toc_object_entries = False
myst_heading_anchors = 3
# What is copied of an example: the program, without prompts and output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
