"""What README and pages promise, and the test that holds it: a promise without its sentence or its test is an error here."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# page, words of the promise as they stand there, file and function of the test
PROMISES = [
    ("README.md", "never re-runs the retriever", "unit/test_structure.py::test_import_and_help_load_nothing_heavy"),
    ("README.md", "$ python3 -m venv .venv", "package/test_newcomer.py::test_the_first_command_shows_what_the_readme_shows"),
    ("README.md", "reads only new files", "store/test_store.py::test_unchanged_sources_are_skipped"),
    ("README.md", "3 when logs or labels are invalid", "e2e/test_command.py::test_a_mistake_is_one_line_and_its_exit_code"),
    ("README.md", "Every number is defined once", "sql/test_readme.py::test_a_metric_of_any_parquet_file"),
    ("README.md", "paths, Arrow tables and streams, Polars frames", "e2e/test_odd_logs.py::test_tables_are_read_like_files"),
    ("README.md", "Arrow tables and streams, Polars frames and DuckDB relations", "unit/test_data.py::test_evaluate"),
    ("README.md", "DuckDB relations of any connection go in", "unit/test_data.py::test_files_of_a_relation"),
    ("README.md", "$ recallwatch drift sample_logs", "docs/test_drift_page.py::test_the_drift_section_shows_what_its_command_prints"),
    ("README.md", "the verdict is `insufficient`, never `ok`", "drift/test_two_windows.py::test_too_little_to_compare_is_insufficient_with_a_reason"),
    ("README.md", "separate a change of traffic mix", "drift/test_two_windows.py::test_a_change_of_traffic_is_not_called_a_change_of_quality"),
    ("README.md", "does the same from a [store]", "drift/test_store.py::test_a_store_gives_what_its_logs_give"),
    ("README.md", "schemas may differ between files", "e2e/test_odd_logs.py::test_schemas_that_grew"),
    ("README.md", "Any other field becomes an attribute", "e2e/test_odd_logs.py::test_attributes"),
    ("README.md", "duplicate events (same id) count once", "store/test_store.py::test_any_order_and_split_with_duplicates"),
    ("README.md", "Traces are read as they are", "formats/test_samples.py::test_the_same_recall_from_every_tool"),
    ("README.md", "The format is detected from the content", "formats/test_real_traces.py::test_each_file_is_told_by_its_content_and_counted"),
    ("README.md", "--profile examples/any_log/rag.toml", "docs/test_any_log.py::test_the_command_gives_what_is_shown"),
    ("README.md", "reproduces trec_eval's own outputs", "golden/test_trec_eval.py::test_every_value_equals_the_official_output"),
    ("README.md", "It is clustered by query", "unit/test_intervals.py::test_clustered_interval"),
    ("README.md", "Nothing is dropped in silence", "e2e/test_bad_input.py::test_bad_lines"),
    ("README.md", "Null is not zero", "unit/test_intervals.py::test_missing_stages_are_counted"),
    ("README.md", "the same events give the same bytes", "property/test_bytes.py::test_rows_files_groups_threads"),
    ("README.md", "with the same digits", "spark/test_same_bytes.py::test_paths"),
    ("CONTRIBUTING.md", "`src/recallwatch` has wings on floors", "docs/test_contributing.py::test_the_floors_are_those_of_the_house"),
    ("docs/store.md", "may be killed at any moment", "store/test_kill.py::test_killed_at_fifty_moments"),
    ("docs/store.md", "can be re-scored with new labels after the logs are deleted", "store/test_store.py::test_new_labels_need_no_logs"),
    ("docs/reliability.md", "loses and doubles nothing", "faults/test_disturbed.py::test_killed_at_a_call"),
    ("docs/reliability.md", "it ends with its holder", "store/test_faults.py::test_locks_of_the_dead"),
    ("docs/reliability.md", "one line, exit 2; nothing half written", "faults/test_places.py::test_a_full_disk"),
    ("docs/reliability.md", "removes those that no process holds locked", "faults/test_disturbed.py::test_what_a_dead_run_left_is_swept"),
    ("docs/reliability.md", "as an evaluation of them does", "faults/test_limits.py::test_bad_lines_are_counted_over_all_logs"),
    ("docs/reliability.md", "in no window and no period", "faults/test_limits.py::test_one_event_without_a_time"),
    ("docs/reliability.md", "are shown with escapes", "faults/test_hostile.py::test_no_output_steers_anything"),
    ("docs/reliability.md", "errors show a salted hash", "faults/test_hostile.py::test_errors_hide_what_a_redacted_run_hides"),
    ("docs/store.md", "the second is refused with the first one's pid", "store/test_faults.py::test_two_writers"),
    ("docs/nightly.md", "one file each, whole or not at all", "document/test_document.py::test_a_file_appears_whole_and_follows_no_planted_link"),
    ("docs/nightly.md", "give the same bytes in every output", "report/test_outputs.py::test_the_same_run_gives_the_same_bytes"),
    ("docs/nightly.md", "`redact`", "report/test_outputs.py::test_redacted_texts_are_in_no_output"),
    ("docs/nightly.md", "Unknown keys are errors", "nightly/test_config.py::test_a_wrong_configuration_is_one_line"),
    ("docs/gates.md", "moves no gate", "nightly/test_gates.py::test_against_the_reference_other_traffic_moves_nothing"),
    ("docs/drift.md", "sum to the total to 1e-12", "drift/test_series.py::test_parts_of_a_change_sum_to_it"),
    ("docs/drift.md", "an improvement is `improved` and never fails", "drift/test_two_windows.py::test_gains_are_improved_never_a_failure"),
    ("docs/recording.md", "it never raises", "record/test_recorder.py::test_nothing_raises_into_the_host"),
    ("docs/recording.md", "a killed process loses at most", "record/test_recorder.py::test_a_killed_process_loses_the_unflushed_tail_only"),
    ("docs/match.md", "every number is reported with the share of exact matches", "match/test_match.py::test_what_stands_beside_is_in_text_and_markdown"),
    ("docs/protocols.md", "every number equals the recomputed one", "protocol/test_verify.py::test_retrievals_edited_with_their_hashes"),
    ("docs/suggest.md", "each query appears once", "loop/test_suggest.py::test_classes_take_turns"),
    ("docs/tuning.md", "after a kill (at most the last .2 s are run again)", "tuning/test_sweep.py::test_a_killed_sweep_goes_on"),
    ("docs/dashboards.md", "metrics.prom", "loop/test_dashboards.py::test_the_official_parser_reads_what_the_json_says"),
    ("docs/cluster.md", "by the same rule as on one machine", "spark/test_same_bytes.py::test_json_lines"),
    ("docs/report.md", "network", "report/test_outputs.py::test_the_page_asks_for_nothing"),
    ("README.md", "lists in, metrics out, by the same SQL", "unit/test_lists.py::test_ids_of_any_kind"),
    ("docs/cluster.md", "`evaluate -f json` gives the same bytes", "spark/test_ingest.py::test_the_same_store"),
    ("docs/drift.md", "`insufficient`, never `ok`", "drift/test_two_windows.py::test_too_little_to_compare_is_insufficient_with_a_reason"),
    ("docs/formats.md", "never by the name of the file", "formats/test_real_traces.py::test_each_file_is_told_by_its_content_and_counted"),
    ("docs/formats.md", "A path at which no record of the log or store has a value is an error", "e2e/test_unread.py::test_path_that_no_record_has"),
    ("docs/labels.md", "Kinds are never mixed in a query", "loop/test_kinds.py::test_a_query_rests_on_one_kind"),
    ("docs/match.md", "An expected text without a single word", "match/test_match.py::test_large_and_empty_texts"),
    ("docs/match.md", "it is read as a label, never as what was answered", "match/test_match.py::test_gold_answers_of_a_benchmark_log_are_labels"),
    ("docs/metrics.md", "acts on the binary metrics, never on nDCG's gain", "e2e/test_paths.py::test_each_path_is_right"),
    ("docs/metrics.md", "tenant never matches another's events", "e2e/test_label_forms.py::test_labels_of_tenants"),
    ("docs/metrics.md", "an error that names both lines", "e2e/test_label_forms.py::test_contradictions"),
    ("docs/metrics.md", "the row is left out and counted", "e2e/test_label_forms.py::test_an_empty_grade_is_not_judged"),
    ("docs/metrics.md", "share is not labelled, and is counted", "e2e/test_texts_shared.py::test_a_text_of_several_labels"),
    ("docs/metrics.md", "a recall whose id no label has joins by text", "e2e/test_texts_shared.py::test_a_label_by_text_holds_where_no_label_has_the_id"),
    ("docs/metrics.md", "keeps its slot, is never relevant, is counted", "e2e/test_bad_input.py::test_null_in_ids"),
    ("docs/metrics.md", "refused (exit 3), with examples and counts of both sides", "e2e/test_bad_input.py::test_no_label_matches"),
    ("docs/metrics.md", "refused (exit 3), the rule named", "e2e/test_meeting.py::test_ids_of_two_namespaces"),
    ("docs/metrics.md", "never counted as a bad line", "e2e/test_bad_input.py::test_half_written_last_line"),
    ("docs/nightly.md", "Unknown keys are errors and name the nearest known one", "nightly/test_config.py::test_a_wrong_configuration_is_one_line"),
    ("docs/nightly.md", "are judged too, each by drift", "nightly/test_nights.py::test_nights_that_cron_skipped_are_judged_each"),
    ("docs/nightly.md", "hides no log that stopped", "nightly/test_nights.py::test_a_log_that_stopped_is_told"),
    ("docs/nightly.md", "writes a page that says why", "nightly/test_nights.py::test_no_older_page_passes_for_that_of_a_run_that_failed"),
    ("docs/nightly.md", "Without it a fault never becomes the norm by itself", "drift/test_answers.py::test_accepted_answers_become_the_norm"),
    ("docs/recording.md", "it never waits for the disk", "record/test_recorder.py::test_a_full_queue_drops_and_counts"),
    ("docs/recording.md", "it keeps its rank and is never relevant", "record/test_recorder.py::test_results_without_ids_are_told_once"),
    ("docs/reliability.md", "No error ends in a traceback", "e2e/test_nasty_options.py::test_a_nasty_value_of_a_flag"),
    ("docs/reliability.md", "one answer or one refusal", "property/test_worlds.py::test_one_answer"),
    ("docs/reliability.md", "`python -m benchmarks.paths` runs small logs", "e2e/test_paths.py::test_each_path_is_right"),
    ("docs/store.md", "counts once, and is counted under `duplicate_events`", "store/test_store.py::test_any_order_and_split_with_duplicates"),
    ("docs/store.md", "it is not committed, the others are; exit 3", "store/test_faults.py::test_a_source_that_changes_while_it_is_read"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("page", "words", "test"), PROMISES, ids=[f"{page}-{test.split('::')[1]}" for page, _words, test in PROMISES]
)
def test_a_promise_stands_on_its_page_and_has_its_test(page: str, words: str, test: str) -> None:
    """The words are on the page, whatever its line ends; the function is in its file and says in its docstring what it holds."""
    assert words in " ".join((ROOT / page).read_text(encoding="utf-8").split())
    file, name = test.split("::")
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert name in functions
    assert ast.get_docstring(functions[name])
