/** Every metric of `/metrics`: name, type, labels, what it is over several instances, and what it says. The page and its reference print this order. */
import type { LabelName } from "./label-values.ts"

export interface Metric {
  readonly type: "counter" | "gauge" | "histogram"
  readonly labels: readonly LabelName[]
  /**
   * What it is over several instances. MAX: of the database, so each instance says the same; take the largest. SUM: of the process, add them up; a
   * restart begins a counter at zero. EACH: of the process or its machine, and no sum means anything.
   */
  readonly over: "MAX" | "SUM" | "EACH"
  readonly help: string
}

export const METRICS = {
  bizauth_build_info: {
    type: "gauge",
    labels: ["version", "commit", "environment"],
    over: "EACH",
    help: "Always 1. The labels say what runs.",
  },
  bizauth_instance_info: {
    type: "gauge",
    labels: ["instance_id", "version"],
    over: "EACH",
    help: "Always 1. The id is that of bizauth instances.",
  },
  bizauth_ready: {
    type: "gauge",
    labels: [],
    over: "EACH",
    help: "1 if the service is ready, as /readyz says, else 0.",
  },
  bizauth_not_ready: {
    type: "gauge",
    labels: ["reason"],
    over: "EACH",
    help: "1 for each reason why the service is not ready, else 0.",
  },
  bizauth_decisions_total: {
    type: "counter",
    labels: ["product", "decision"],
    over: "MAX",
    help: "Delivered answers.",
  },
  bizauth_uncharged_answers_total: {
    type: "counter",
    labels: ["product", "decision"],
    over: "SUM",
    help: "Answers without a decision because a source failed. They are not charged and not stored.",
  },
  bizauth_settlements_total: {
    type: "counter",
    labels: ["state"],
    over: "MAX",
    help: "Times that a payment attempt entered the state.",
  },
  bizauth_payment_attempts: {
    type: "gauge",
    labels: ["state"],
    over: "MAX",
    help: "Payment attempts that are in the state now.",
  },
  bizauth_payments_owed: {
    type: "gauge",
    labels: [],
    over: "MAX",
    help: "Payments whose buyer has no answer yet.",
  },
  bizauth_attempts_stuck: {
    type: "gauge",
    labels: [],
    over: "MAX",
    help: "Payment attempts that have been SETTLING for over five minutes, counted to 1000.",
  },
  bizauth_settlement_wait_seconds: {
    type: "gauge",
    labels: [],
    over: "MAX",
    help: "For how long the oldest SETTLING attempt has waited; 0 if there is none.",
  },
  bizauth_relayer_nonce_wait_seconds: {
    type: "gauge",
    labels: [],
    over: "MAX",
    help: "For how long the lowest open nonce of the relayer has waited; 0 if there is none.",
  },
  bizauth_relayer_payments_left: {
    type: "gauge",
    labels: [],
    over: "EACH",
    help: "Payments that the relayer's ether pays for at the present gas price, at least. The node is asked once a minute.",
  },
  bizauth_relayer_look_age_seconds: {
    type: "gauge",
    labels: [],
    over: "EACH",
    help: "Age of bizauth_relayer_payments_left, which is left out above ten minutes.",
  },
  bizauth_source_age_seconds: {
    type: "gauge",
    labels: ["source"],
    over: "EACH",
    help: "Time since the publisher last gave or confirmed the source. Left out for a source that was never imported.",
  },
  bizauth_source_stale_timestamp_seconds: {
    type: "gauge",
    labels: ["source"],
    over: "EACH",
    help: "When the source goes or went stale, in seconds since 1970.",
  },
  bizauth_source_health: {
    type: "gauge",
    labels: ["source", "health"],
    over: "EACH",
    help: "1 for the health of the source, 0 for the others. A register is listed once it was imported.",
  },
  bizauth_review_open: {
    type: "gauge",
    labels: ["product", "state"],
    over: "MAX",
    help: "Cases that wait for a person. Left out for a product that never had a case.",
  },
  bizauth_review_oldest_seconds: {
    type: "gauge",
    labels: [],
    over: "MAX",
    help: "For how long the oldest case has waited for a person, since its answer was delivered; 0 if none waits.",
  },
  bizauth_review_target_seconds: {
    type: "gauge",
    labels: [],
    over: "EACH",
    help: "The setting review_target, with which bizauth_review_oldest_seconds is compared.",
  },
  bizauth_review_break_glass: {
    type: "gauge",
    labels: [],
    over: "MAX",
    help: "Keys of reviewers that were admitted without approvals in the last 30 days.",
  },
  bizauth_log_tree_size: {
    type: "gauge",
    labels: [],
    over: "MAX",
    help: "Leaves of the transparency log.",
  },
  bizauth_log_wait_seconds: {
    type: "gauge",
    labels: [],
    over: "MAX",
    help: "For how long the oldest delivered capsule has waited for its leaf in the log; 0 if none waits. Without database_file none does.",
  },
  bizauth_log_lag_seconds: {
    type: "gauge",
    labels: [],
    over: "EACH",
    help: "For how long at most the record of the log's size beside the database has been behind the log; 0 if it is equal.",
  },
  bizauth_backup_age_seconds: {
    type: "gauge",
    labels: [],
    over: "EACH",
    help: "Age of the newest backup in backup_dir; +Inf if there is none. Left out without backup_dir.",
  },
  bizauth_database_bytes: {
    type: "gauge",
    labels: ["file"],
    over: "MAX",
    help: "Size of the database file and of its write-ahead log. Left out with database_file.",
  },
  bizauth_database_connections: {
    type: "gauge",
    labels: [],
    over: "SUM",
    help: "Connections to the PostgreSQL server. This and the seven below are left out without database_file.",
  },
  bizauth_database_width: {
    type: "gauge",
    labels: [],
    over: "SUM",
    help: "Most transactions that may run side by side now, 1 to 16. Transactions that meet make it smaller.",
  },
  bizauth_database_units_waiting: {
    type: "gauge",
    labels: [],
    over: "SUM",
    help: "Units of work that the database has not stored yet.",
  },
  bizauth_database_units_total: {
    type: "counter",
    labels: [],
    over: "SUM",
    help: "Units of work that the database stored.",
  },
  bizauth_database_repeats_total: {
    type: "counter",
    labels: ["code"],
    over: "SUM",
    help: "Transactions that ran again because they met another one, by the server's code: 40001 or 40P01.",
  },
  bizauth_database_connections_lost_total: {
    type: "counter",
    labels: [],
    over: "SUM",
    help: "Connections that ended in the middle of a transaction.",
  },
  bizauth_database_outcomes_unknown_total: {
    type: "counter",
    labels: [],
    over: "SUM",
    help: "Commits without an answer. The service asks the server for each outcome before it goes on.",
  },
  bizauth_clock_offset_seconds: {
    type: "gauge",
    labels: [],
    over: "EACH",
    help: "By how much the clock of the process is ahead of the server's, at the last look. Above 1 it takes over no work of other instances, above 2 it sells nothing.",
  },
  bizauth_disk_free_bytes: {
    type: "gauge",
    labels: [],
    over: "EACH",
    help: "Free space on the disk of the data directory.",
  },
  bizauth_free_writes_open: {
    type: "gauge",
    labels: [],
    over: "EACH",
    help: "1 if free calls may write, 0 if the free disk is kept for what is sold.",
  },
  bizauth_shared_cap_used: {
    type: "gauge",
    labels: ["cap"],
    over: "MAX",
    help: "How much of a cap all callers together use now: in its window, or in its room.",
  },
  bizauth_shared_cap_max: {
    type: "gauge",
    labels: ["cap"],
    over: "MAX",
    help: "The cap that bizauth_shared_cap_used comes up to.",
  },
  bizauth_signing_key_expiry_timestamp_seconds: {
    type: "gauge",
    labels: ["use"],
    over: "MAX",
    help: "When the key expires, in seconds since 1970.",
  },
  bizauth_http_request_duration_seconds: {
    type: "histogram",
    labels: ["operation", "status_class"],
    over: "SUM",
    help: "Duration of requests. A tool call over MCP counts as a request of the endpoint.",
  },
  bizauth_http_requests_in_flight: {
    type: "gauge",
    labels: [],
    over: "SUM",
    help: "Requests that are running now.",
  },
  bizauth_http_requests_in_flight_max: {
    type: "gauge",
    labels: [],
    over: "SUM",
    help: "Most that run at once.",
  },
  bizauth_rate_limited_requests_total: {
    type: "counter",
    labels: ["operation"],
    over: "SUM",
    help: "Requests and tool calls that a rate limit rejected.",
  },
  bizauth_log_lines_total: {
    type: "counter",
    labels: ["level"],
    over: "SUM",
    help: "Warnings and errors, also those that log_level leaves out.",
  },
  bizauth_event_loop_lag_seconds: {
    type: "histogram",
    labels: [],
    over: "SUM",
    help: "How late a timer ran that is due twice a second.",
  },
  bizauth_metrics_part_failed: {
    type: "gauge",
    labels: ["part"],
    over: "EACH",
    help: "1 if this part of the page could not be read, so its metrics are missing.",
  },
  process_start_time_seconds: {
    type: "gauge",
    labels: [],
    over: "EACH",
    help: "Start of the process, in seconds since 1970.",
  },
  process_cpu_seconds_total: {
    type: "counter",
    labels: [],
    over: "SUM",
    help: "Processor time that the process used.",
  },
  process_resident_memory_bytes: {
    type: "gauge",
    labels: [],
    over: "SUM",
    help: "Resident memory of the process.",
  },
} as const satisfies Record<string, Metric>

export type MetricName = keyof typeof METRICS
export type LabelsOf<M extends MetricName> = Readonly<Record<(typeof METRICS)[M]["labels"][number], string>>
