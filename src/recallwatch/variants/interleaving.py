"""Two variants whose results stand in one list (team drafts): which of them is clicked more, query by query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..base.engine import Engine
from ..base.errors import InputError, UsageError
from ..document.numbers import plural, significant
from ..evaluation.source import Either
from ..evaluation.walk import on_one_state, recalls_of
from ..scoring import segments
from ..scoring.plan import Plan
from ..scoring.recalls import join
from ..stats.paired import mcnemar
from .arms import SCALE, Arm

CREDIT = "credit"  # share of the queries on which a team earned more of it than the other
EXPONENTS = tuple(step / 10 for step in range(21))  # of the chance rank^-exponent that a rank is looked at


@dataclass(frozen=True)
class Draft:
    """What clicks on team drafts say.

    Args:
        a, b: the teams as arms: of each query with a click on either, whether this one earned more credit.
        signs: exponent -> query -> −1 a, 0 nobody, 1 b has more credit, if rank r is looked at with a chance that falls as r^-exponent.
        ranks: team -> clicks, and their mean rank.
    """

    a: Arm
    b: Arm
    signs: dict[float, dict[str, int]]
    ranks: dict[str, tuple[int, float]]

    def flips_at(self, level: float) -> float | None:
        """The least exponent at which the sign test says something else; None = at none up to 2."""
        verdicts = {exponent: _winner(list(signs.values()), level) for exponent, signs in self.signs.items()}
        return next((exponent for exponent, winner in verdicts.items() if winner != verdicts[0.0]), None)

    def bias(self, level: float) -> str:
        """The sentence about position bias."""
        clicks = ", ".join(
            f"{name} {plural(n, 'click')} at a mean rank of {significant(rank)}" for name, (n, rank) in self.ranks.items()
        )
        exponent = self.flips_at(level)
        what = (
            "the verdict stands for each chance to be looked at from 1 down to rank^-2"
            if exponent is None
            else f"the verdict changes where the chance to be looked at falls as rank^-{exponent:g} (1 / rank is rank^-1)"
        )
        return f"position bias of clicks: {clicks}; {what}"


@on_one_state
def of_teams(source: Either, labels: Any, teams: str, names: tuple[str, str], *, plan: Plan) -> Draft:
    """Read the drafts of a log.

    Args:
        source: logs or a store.
        labels: with clicks (kind click); labels of other kinds are not looked at.
        teams: attribute that holds the team of each result.
        names: the teams a and b.
        plan: how to read.

    Raises:
        UsageError: no such attribute; a team that no result is of.
        InputError: no clicks; lists with another number of teams than of results.
    """
    with recalls_of("recallwatch.compare", source, labels, plan, must_have_labels=True) as (engine, steps, events):
        if not engine.run("select exists (select 1 from labels where kind = 'click')")[0][0]:
            fix = "Name a file of clicks (labels of kind click, or ubi_events)"
            raise InputError("no clicks among the labels, which team drafts are compared by", where="labels", fix=fix)
        engine.options(label_kinds=["click"])
        join(engine, events.logs)
        text = segments.by_expression(engine, teams, dict(events.logs.names), events.logs.attributes)
        engine.run(
            f"create or replace view team_recalls as select *, {text} as team_text from recalls where is_labelled and status is distinct from 'error'"
        )
        engine.options(arm_a=names[0], arm_b=names[1])
        engine.values("exponents", {"exponent": "double"}, [(exponent,) for exponent in EXPONENTS])
        with steps("score"):
            engine.file("5_drift/team_credit.sql")
            return _draft(engine, names, plan)


def _draft(engine: Engine, names: tuple[str, str], plan: Plan) -> Draft:
    ranks = {team: (n, rank) for team, n, rank in engine.run("select team, n, rank from team_ranks order by team")}
    if not ranks:
        what = f"no click on a result of {names[0]} or {names[1]}"
        raise UsageError(what, where="--teams", fix="--a and --b are the teams as the log writes them")
    first, second = (Arm(name, plan.definition.fingerprint, events=ranks.get(name, (0, 0.0))[0]) for name in names)
    signs: dict[float, dict[str, int]] = {}
    for exponent, query, query_class, winner in engine.run("select exponent, query, query_class, winner from team_credit"):
        signs.setdefault(exponent, {})[query] = winner
        if exponent == 0:
            for arm, sign in ((first, -1), (second, 1)):
                arm.sums.setdefault(CREDIT, {})[query] = (1, SCALE * (winner == sign))
                arm.classes[query] = query_class
    return Draft(first, second, signs, ranks)


def _winner(signs: Sequence[int], level: float) -> int:
    """−1 or 1 where the exact sign test says that a or b is better, else 0."""
    wins, losses = signs.count(1), signs.count(-1)
    return (wins > losses) - (wins < losses) if mcnemar(wins, losses) <= level else 0
