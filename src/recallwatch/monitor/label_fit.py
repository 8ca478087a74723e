"""Labels: do they still speak of this traffic?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..base.definition import Column
from ..stats.closed_forms import p_of, predicted
from . import quality
from .measurement import SMALLER, Measured, too_few
from .rates import rate_test
from .state import JUDGED

if TYPE_CHECKING:
    from .sides import Sides

MAX_SPAN = 7  # windows back that a query is looked for
MIN_SHARES = 3
LEAST = 0.005  # smallest standard deviation of the share that is believed


def measure(sides: Sides) -> list[Measured]:
    """Judged share among non-relevant slots, labelled share, share of the traffic that is new."""
    labelled, n, hours = (sides.column(sides.state.events, name) for name in ("n_labelled", "n", "hour"))
    return [_judged(sides), rate_test(Measured("labelled", "labelled_share"), labelled, n, hours, sides), _unseen(sides)]


def _judged(sides: Sides) -> Measured:
    test = quality.measure_metric(sides, Column(JUDGED, sides.state.columns[0].k))
    test.test = "judged"
    test.extra.pop("is_absent", None)
    if not sides.state.can_judge:
        test.p, test.effect = None, None
        test.notes.append("no label has a grade that is not relevant, so this share cannot move")
    return test


def _unseen(sides: Sides) -> Measured:
    """Visits (query x hour) to queries without any in the reference, against what chance gives: Σ v π^v / Σ v_c; with history against what is usual."""
    if sides.has_history:
        return _new_visits(sides)
    sides.tell_engine()
    sides.state.lazy.views("unseen")
    table = sides.state.engine.run("select visits_reference, visits_current, n_queries from drift_unseen")
    before, after = (sum(row[i] * row[2] for row in table) for i in (0, 1))
    test = Measured("unseen", "unseen_share", blocks="queries")
    if min(before, after) < sides.settings.min_queries:
        test.lack = too_few(min(before, after), sides.settings.min_queries, SMALLER, "query visit")
        return test
    pi = after / (before + after)
    seen = sum(c * k for r, c, k in table if r == 0)
    expected = sum((r + c) * k * pi ** (r + c) for r, c, k in table)
    variance = sum((r + c) ** 2 * k * pi ** (r + c) * (1 - pi ** (r + c)) for r, c, k in table)
    test.reference, test.current, test.effect = expected / after, seen / after, (seen - expected) / after
    test.se = math.sqrt(variance) / after
    test.p = (
        p_of(test.effect, test.se, test.df) if test.effect > 0 else 1.0
    )  # a replay asks the same queries: fewer than chance is no news
    test.notes.append("reference = the share that chance alone gives between two windows of the same traffic")
    return test


def _new_visits(sides: Sides) -> Measured:
    """The share of visits to queries that none of the windows just before saw, among the same shares of reference windows."""
    engine, refs = sides.state.engine, sides.refs
    span = min(MAX_SPAN, len(refs) // 2)
    rows = [(no, day) for no, unit in enumerate((*refs, sides.current)) for day in unit.numbers]
    engine.values("drift_order", {"unit_no": "integer", "day_no": "integer"}, rows)
    sides.state.lazy.views("new_visits")
    engine.options(opt_unseen_windows=span)
    shares = {no: new / n for no, n, new in engine.run("from drift_new_visits") if n}
    test = Measured("unseen", "unseen_share", blocks="days")
    past = [shares[no] for no in range(span, len(refs)) if no in shares]
    if len(past) < MIN_SHARES or len(refs) not in shares:
        test.lack = f"{len(past)} windows show how many queries are new, {MIN_SHARES} are needed"
        return test
    test.current = shares[len(refs)]
    test.effect, test.se, test.df = predicted(test.current, past, LEAST)
    test.reference = test.current - test.effect
    test.p = p_of(test.effect, test.se, test.df) if test.effect > 0 else 1.0
    test.notes.append(f"queries that none of the {span} windows before saw; reference = the usual share")
    return test
