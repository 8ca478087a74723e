"""A document as a page of its own: one file, no script, no network; every text is escaped."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from ..base.version import __version__
from .as_html import environment, table
from .figure import Figure
from .model import Document
from .palette import PALETTE


def render(document: Document, figures: Sequence[Figure] = (), *, title: str = "recallwatch") -> str:
    """The page.

    Args:
        document: what it says.
        figures: drawn above its tables, as one image: no text of a log becomes part of the page.
        title: a line above the headline.
    """
    from markupsafe import Markup, escape

    picture = ""
    if figures:
        from .picture import drawn

        picture = base64.b64encode(drawn(figures, "svg")).decode()
    page = (
        environment(section=lambda section: Markup(table(section)))  # noqa: S704  # every text in it is escaped
        .get_template("page.html.j2")
        .render(
            document=document,
            title=title,
            picture=picture,
            alt=". ".join(figure.summary for figure in figures),
            pasted=escape(document.paste),  # line ends stay
            version=__version__,
            palette=PALETTE,
        )
    )
    return f"{page}\n"
