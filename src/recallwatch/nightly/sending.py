"""Messages about a run, to the addresses that the configuration names and to no others."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from ..base.errors import UsageError
from ..base.verdicts import ALARMS
from .configuration import Outputs

PATIENCE = 10  # s for an answer


def addresses(outputs: Outputs) -> dict[str, str]:
    """Output -> where it is sent.

    Raises:
        UsageError: an address that is none of http or https.
    """
    named = {"slack": outputs.slack_url, "webhook": outputs.webhook_url}
    for name, url in named.items():
        if url and (urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname):
            raise UsageError(
                "expected an address that begins with https://", where=f"outputs.{name}_url", fix="Name one, or leave it out"
            )
    return {name: url for name, url in named.items() if url}


def is_worth_it(verdict: str, outputs: Outputs) -> bool:
    """Whether a verdict is sent."""
    return outputs.send == "always" or verdict == "error" or verdict in ALARMS[outputs.send]


def send(payloads: Mapping[str, bytes], outputs: Outputs, tell: Callable[[str], None]) -> None:
    """POST each payload as JSON. What cannot be sent is told and fails nothing; an address may be a secret, so only its host is named."""
    for name, url in addresses(outputs).items():
        request = Request(url, json.dumps(json.loads(payloads[name])).encode(), {"Content-Type": "application/json"})  # noqa: S310 -- addresses() lets http and https pass
        host = urlsplit(url).hostname
        try:
            with urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310 -- as above
                answer.read(1)
        except HTTPError as error:
            tell(f"{name}: {host} refused the message ({error.code}); {name}.json has it")
        except (URLError, OSError) as error:
            reason = getattr(error, "reason", None) or error
            tell(f"{name}: {host} cannot be reached ({reason}); {name}.json has the message")
        else:
            tell(f"{name}: sent to {host}")
