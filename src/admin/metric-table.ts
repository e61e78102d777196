/** Every metric of `/metrics`: name, type, labels, where its value is from, and what it says. The page and its reference print this order. */
import type { LabelName } from "./label-values.ts"

export interface Metric {
  readonly type: "counter" | "gauge" | "histogram"
  readonly labels: readonly LabelName[]
  /** DATABASE: the same in every process on one data directory. PROCESS: of this process; a restart begins a counter at zero. */
  readonly from: "DATABASE" | "PROCESS"
  readonly help: string
}

export const METRICS = {
  bizauth_build_info: {
    type: "gauge",
    labels: ["version", "commit", "environment"],
    from: "PROCESS",
    help: "Always 1. The labels say what runs.",
  },
  bizauth_ready: {
    type: "gauge",
    labels: [],
    from: "PROCESS",
    help: "1 if the service is ready, as /readyz says, else 0.",
  },
  bizauth_not_ready: {
    type: "gauge",
    labels: ["reason"],
    from: "PROCESS",
    help: "1 for each reason why the service is not ready, else 0.",
  },
  bizauth_decisions_total: {
    type: "counter",
    labels: ["product", "decision"],
    from: "DATABASE",
    help: "Delivered answers.",
  },
  bizauth_uncharged_answers_total: {
    type: "counter",
    labels: ["product", "decision"],
    from: "PROCESS",
    help: "Answers without a decision because a source failed. They are not charged and not stored.",
  },
  bizauth_settlements_total: {
    type: "counter",
    labels: ["state"],
    from: "DATABASE",
    help: "Times that a payment attempt entered the state.",
  },
  bizauth_payment_attempts: {
    type: "gauge",
    labels: ["state"],
    from: "DATABASE",
    help: "Payment attempts that are in the state now.",
  },
  bizauth_payments_owed: {
    type: "gauge",
    labels: [],
    from: "DATABASE",
    help: "Payments whose buyer has no answer yet.",
  },
  bizauth_attempts_stuck: {
    type: "gauge",
    labels: [],
    from: "DATABASE",
    help: "Payment attempts that have been SETTLING for over five minutes, counted to 1000.",
  },
  bizauth_settlement_wait_seconds: {
    type: "gauge",
    labels: [],
    from: "DATABASE",
    help: "For how long the oldest SETTLING attempt has waited; 0 if there is none.",
  },
  bizauth_relayer_nonce_wait_seconds: {
    type: "gauge",
    labels: [],
    from: "DATABASE",
    help: "For how long the lowest open nonce of the relayer has waited; 0 if there is none.",
  },
  bizauth_relayer_payments_left: {
    type: "gauge",
    labels: [],
    from: "PROCESS",
    help: "Payments that the relayer's ether pays for at the present gas price, at least. The node is asked once a minute.",
  },
  bizauth_relayer_look_age_seconds: {
    type: "gauge",
    labels: [],
    from: "PROCESS",
    help: "Age of bizauth_relayer_payments_left, which is left out above ten minutes.",
  },
  bizauth_source_age_seconds: {
    type: "gauge",
    labels: ["source"],
    from: "PROCESS",
    help: "Time since the publisher last gave or confirmed the source. Left out for a source that was never imported.",
  },
  bizauth_source_stale_timestamp_seconds: {
    type: "gauge",
    labels: ["source"],
    from: "PROCESS",
    help: "When the source goes or went stale, in seconds since 1970.",
  },
  bizauth_source_health: {
    type: "gauge",
    labels: ["source", "health"],
    from: "PROCESS",
    help: "1 for the health of the source, 0 for the others. A register is listed once it was imported.",
  },
  bizauth_log_tree_size: {
    type: "gauge",
    labels: [],
    from: "DATABASE",
    help: "Leaves of the transparency log.",
  },
  bizauth_log_wait_seconds: {
    type: "gauge",
    labels: [],
    from: "DATABASE",
    help: "For how long the oldest delivered capsule has waited for its leaf in the log; 0 if none waits. Without database_file none does.",
  },
  bizauth_log_lag_seconds: {
    type: "gauge",
    labels: [],
    from: "PROCESS",
    help: "For how long at most the record of the log's size beside the database has been behind the log; 0 if it is equal.",
  },
  bizauth_backup_age_seconds: {
    type: "gauge",
    labels: [],
    from: "PROCESS",
    help: "Age of the newest backup in backup_dir; +Inf if there is none. Left out without backup_dir.",
  },
  bizauth_database_bytes: {
    type: "gauge",
    labels: ["file"],
    from: "DATABASE",
    help: "Size of the database file and of its write-ahead log. Left out with database_file.",
  },
  bizauth_database_connections: {
    type: "gauge",
    labels: [],
    from: "PROCESS",
    help: "Connections to the PostgreSQL server. This and the six below are left out without database_file.",
  },
  bizauth_database_width: {
    type: "gauge",
    labels: [],
    from: "PROCESS",
    help: "Most transactions that may run side by side now, 1 to 16. Transactions that meet make it smaller.",
  },
  bizauth_database_units_waiting: {
    type: "gauge",
    labels: [],
    from: "PROCESS",
    help: "Units of work that the database has not stored yet.",
  },
  bizauth_database_units_total: {
    type: "counter",
    labels: [],
    from: "PROCESS",
    help: "Units of work that the database stored.",
  },
  bizauth_database_repeats_total: {
    type: "counter",
    labels: ["code"],
    from: "PROCESS",
    help: "Transactions that ran again because they met another one, by the server's code: 40001 or 40P01.",
  },
  bizauth_database_connections_lost_total: {
    type: "counter",
    labels: [],
    from: "PROCESS",
    help: "Connections that ended in the middle of a transaction.",
  },
  bizauth_database_outcomes_unknown_total: {
    type: "counter",
    labels: [],
    from: "PROCESS",
    help: "Commits without an answer. The service asks the server for each outcome before it goes on.",
  },
  bizauth_disk_free_bytes: {
    type: "gauge",
    labels: [],
    from: "DATABASE",
    help: "Free space on the disk of the data directory.",
  },
  bizauth_free_writes_open: {
    type: "gauge",
    labels: [],
    from: "DATABASE",
    help: "1 if free calls may write, 0 if the free disk is kept for what is sold.",
  },
  bizauth_shared_cap_used: {
    type: "gauge",
    labels: ["cap"],
    from: "DATABASE",
    help: "How much of a cap all callers together use now: in its window, or in its room.",
  },
  bizauth_shared_cap_max: {
    type: "gauge",
    labels: ["cap"],
    from: "DATABASE",
    help: "The cap that bizauth_shared_cap_used comes up to.",
  },
  bizauth_signing_key_expiry_timestamp_seconds: {
    type: "gauge",
    labels: ["use"],
    from: "DATABASE",
    help: "When the key expires, in seconds since 1970.",
  },
  bizauth_http_request_duration_seconds: {
    type: "histogram",
    labels: ["operation", "status_class"],
    from: "PROCESS",
    help: "Duration of requests. A tool call over MCP counts as a request of the endpoint.",
  },
  bizauth_http_requests_in_flight: {
    type: "gauge",
    labels: [],
    from: "PROCESS",
    help: "Requests that are running now.",
  },
  bizauth_http_requests_in_flight_max: {
    type: "gauge",
    labels: [],
    from: "PROCESS",
    help: "Most that run at once.",
  },
  bizauth_rate_limited_requests_total: {
    type: "counter",
    labels: ["operation"],
    from: "PROCESS",
    help: "Requests and tool calls that a rate limit rejected.",
  },
  bizauth_log_lines_total: {
    type: "counter",
    labels: ["level"],
    from: "PROCESS",
    help: "Warnings and errors, also those that log_level leaves out.",
  },
  bizauth_event_loop_lag_seconds: {
    type: "histogram",
    labels: [],
    from: "PROCESS",
    help: "How late a timer ran that is due twice a second.",
  },
  bizauth_metrics_part_failed: {
    type: "gauge",
    labels: ["part"],
    from: "PROCESS",
    help: "1 if this part of the page could not be read, so its metrics are missing.",
  },
  process_start_time_seconds: {
    type: "gauge",
    labels: [],
    from: "PROCESS",
    help: "Start of the process, in seconds since 1970.",
  },
  process_cpu_seconds_total: {
    type: "counter",
    labels: [],
    from: "PROCESS",
    help: "Processor time that the process used.",
  },
  process_resident_memory_bytes: {
    type: "gauge",
    labels: [],
    from: "PROCESS",
    help: "Resident memory of the process.",
  },
} as const satisfies Record<string, Metric>

export type MetricName = keyof typeof METRICS
export type LabelsOf<M extends MetricName> = Readonly<Record<(typeof METRICS)[M]["labels"][number], string>>
