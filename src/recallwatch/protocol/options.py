"""The options of a run under a protocol."""

from ..base.definition import Definition
from ..base.options import Limits, Period, Reading
from ..base.takes import Takes

PROTOCOL = Takes("protocol run", Period, Reading, Limits, Definition)
