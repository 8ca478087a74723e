-- run_files -> runs: what each run saw, read from runs/*.json when it is asked for, so that it is never behind.
-- In:   run_files: a view over the JSON files, made by recallwatch for the place the store stands at
-- Key:  number
create or replace view runs as
select number, "at" as ended_at, cast("at" at time zone 'UTC' as date) as day_utc, command, version, n_sources, n_days, n_events, n_rejects,
    len(new) as n_new, len(changed) as n_changed, len(unchanged) as n_unchanged, cardinality(failed) as n_failed
from run_files order by number;
comment on view runs is 'what each run saw';
comment on column runs.number is 'order of the runs, whatever the clock said';
comment on column runs.ended_at is 'clock at its end, UTC';
comment on column runs.day_utc is 'UTC day of that';
comment on column runs.command is 'what was run';
comment on column runs.version is 'of recallwatch';
comment on column runs.n_sources is 'committed sources after it';
comment on column runs.n_days is 'UTC days they hold';
comment on column runs.n_events is 'events read by it';
comment on column runs.n_rejects is 'lines rejected in it';
comment on column runs.n_new is 'sources it added';
comment on column runs.n_changed is 'sources it read again';
comment on column runs.n_unchanged is 'sources it had nothing to do for';
comment on column runs.n_failed is 'sources it could not read';

comment on view run_files is 'runs/*.json as they are';
comment on column run_files.number is 'see runs';
comment on column run_files."at" is 'see runs';
comment on column run_files.command is 'see runs';
comment on column run_files.version is 'see runs';
comment on column run_files.n_sources is 'see runs';
comment on column run_files.n_days is 'see runs';
comment on column run_files.n_events is 'see runs';
comment on column run_files.n_rejects is 'see runs';
comment on column run_files.new is 'sources';
comment on column run_files.changed is 'sources';
comment on column run_files.unchanged is 'sources';
comment on column run_files.failed is 'source to reason';
