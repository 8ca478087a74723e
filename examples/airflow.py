"""Airflow: the nightly run as one task. Any exit code but 0 fails it; the log shows the summary."""

from __future__ import annotations

import datetime as dt

from airflow import DAG
from airflow.providers.standard.operators.bash import BashOperator

# no retries: a run that alarms (exit code 4) would only alarm again, and the next night reads what this one could not
COMMAND = """
cd /srv/recall || exit 1
.venv/bin/recallwatch run recallwatch.toml
code=$?
cat recallwatch-report/report.md
exit $code
"""

with DAG(
    "recallwatch_nightly",
    schedule="15 3 * * *",
    start_date=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
    catchup=False,
    max_active_runs=1,
    tags=["recall"],
):
    BashOperator(
        task_id="run",
        bash_command=COMMAND,
        env={"RECALLWATCH_SALT": "{{ var.value.recallwatch_salt }}"},
        append_env=True,
        retries=0,
    )
