/** Tables of a bounded size on both engines, each with what bounds it: the cost to read one completely never grows. */
export const BOUNDED_TABLES: Readonly<Record<string, string>> = {
  log_head: "one row",
  service_key: "the service's own keys, a few a year",
  service_identity: "one row for each use of a key",
  source_attempt: "one row a source",
  source_check: "one row a source",
  attempt_count: "one row for each state of an attempt and slot",
  decision_count: "one row for each product, decision and slot",
  review_count: "one row for each product and state of a case",
  review_link: "links of five minutes, each made by a command of the operator",
  list_activation: "one row a source",
  list_upload: "the files of one import, which removes those of the imports before it",
  instance_snapshot: "one row for each process that served within a day, and list",
  instance: "one row for each process that served within a day",
  purge_round: "one row",
}
