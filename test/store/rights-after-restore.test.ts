/**
 * Every table, and what a restore does with the rights in it. A right that was taken back after the backup comes back with the restore, so
 * it is void, or paused until somebody confirms it, or there is a reason why it may stay.
 */
import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { getTableName, is, Table } from "drizzle-orm"
import * as tables from "../../db/tables.ts"

type After =
  /** Counts as used or revoked. `shownBy`: the test, and words of its title. */
  | { readonly after: "VOID" | "PAUSED"; readonly shownBy: readonly [file: string, words: string] }
  | { readonly after: "STAYS" | "NO_RIGHT"; readonly why: string }

const VOIDS = "store/restore-voids.test.ts"
const REVIEWS = "store/review/take-after-restore.test.ts"
const SCENARIO = "delivery/after-restore.test.ts"
const PAUSES = "scenarios/operations/paused-rights.test.ts"
const VOID = (file: string, words: string): After => ({ after: "VOID", shownBy: [file, words] })
const PAUSED = (file: string, words: string): After => ({ after: "PAUSED", shownBy: [file, words] })
const STAYS = (why: string): After => ({ after: "STAYS", why })
const NONE = (why: string): After => ({ after: "NO_RIGHT", why })

const COUNT = NONE("a count or a limit")
const HISTORY = NONE("a record of what happened")
const STOP = STAYS("a stop is no right: it only forbids")
const LOG = STAYS("the log goes on under its next name and names the old one")
const CHAIN = STAYS(
  "only the chain says whether an authorization paid; sales stop until every one of the lost hours has passed",
)
const EVIDENCE = STAYS(
  "evidence, whose age every answer judges; a rollback after the backup is shown by bizauth sources status",
)

const AFTER: Readonly<Record<string, After>> = {
  acp_action: CHAIN,
  acp_cursor: CHAIN,
  acp_deliverable: STAYS("bytes that are fixed for one job, and the escrow takes them once"),
  acp_entry: HISTORY,
  acp_event: HISTORY,
  acp_fact: CHAIN,
  acp_job: PAUSED(VOIDS, "the job rail"),
  acp_look: HISTORY,
  acp_notice: HISTORY,
  acp_switch: PAUSED(VOIDS, "the job rail"),
  acp_transaction: CHAIN,
  agent: PAUSED(SCENARIO, "an agent's key signs nothing before its next key event"),
  agent_challenge: VOID(VOIDS, "a challenge of an identity"),
  agent_event: STAYS("signed events; the status of their identity is UNKNOWN until the next one"),
  agent_key: PAUSED(SCENARIO, "an agent's key signs nothing before its next key event"),
  agent_message: VOID(VOIDS, "a nonce"),
  agent_message_mark: VOID(VOIDS, "a nonce"),
  answer_record: STAYS(
    "nobody takes back or uses up a delivered answer; what a lost key signed does not count while that key is paused",
  ),
  artifact_registration: STAYS("the fact that a statement was registered; nobody takes it back"),
  attempt_count: COUNT,
  authority_hold: STOP,
  authorization_record: STAYS("as answer_record"),
  authorization_token: VOID(VOIDS, "from before the restore is revoked"),
  beacon_consent: VOID(VOIDS, "a consent of the Beacon"),
  beacon_consent_day: COUNT,
  beacon_count: COUNT,
  burned_gas: COUNT,
  buyer_revocation: STOP,
  change_count: COUNT,
  channel_entry: COUNT,
  contact_stop_count: COUNT,
  contact_stop: STAYS(
    "a stop forbids; the message that lifted one was of its own mailbox, and mail only answers such a message",
  ),
  decision_count: COUNT,
  decision_request: CHAIN,
  delegation: VOID(SCENARIO, "a delegation from before the restore authorizes nothing"),
  delegation_day: COUNT,
  delegation_total: COUNT,
  delivery: STAYS("an answer that was bought; its owner reads it again with a key that counts"),
  delivery_snapshot: HISTORY,
  email_challenge: VOID(VOIDS, "a token that was mailed before the restore proves no mailbox"),
  entitlement: STAYS("says that a request was bought; the requests of the lost hours are found on the chain"),
  purge_round: NONE("a lease that ends within a minute"),
  instance: NONE("processes that served; a row is written anew and removed after a day"),
  instance_snapshot: NONE("from which list a process answers; removed after a day"),
  invitation: STAYS("anybody may get one; it opens nothing"),
  list_activation: NONE("when a list became the one in use"),
  list_file: NONE("names of the stored bytes of lists"),
  list_part: NONE("bytes of lists; each reader compares their digest with the evidence"),
  list_upload: NONE("bytes that an import has not ended to store; the next one removes them"),
  log_head: LOG,
  log_leaf: LOG,
  log_map_branch: LOG,
  log_map_entry: LOG,
  log_node: LOG,
  log_pending: LOG,
  lost_transfer: HISTORY,
  mail_in: STAYS("mail that waits to be read"),
  mail_out: STAYS("mail that answers a message, until its own end"),
  mandate_key: PAUSED(SCENARIO, "count after their confirmation, one by one"),
  meta: NONE("settings of the database, and the restores themselves"),
  organization: PAUSED(SCENARIO, "count after their confirmation, one by one"),
  payment_attempt: CHAIN,
  payment_event: HISTORY,
  planning_continuation: STAYS("says that a continuation of a free plan was used; a second use buys nothing"),
  purchase: CHAIN,
  record_anchor: STAYS("as answer_record"),
  redelivery: VOID(VOIDS, "the right to a decision without payment"),
  register_answer: EVIDENCE,
  register_request_count: COUNT,
  register_service_pause: STOP,
  relayer_nonce: CHAIN,
  relayer_transaction: CHAIN,
  review_case: STAYS("an answer that waits; what a record did to it is in the backup with the record"),
  review_challenge: VOID(REVIEWS, "voids links, sessions and challenges"),
  review_count: COUNT,
  review_document: HISTORY,
  review_fill: COUNT,
  review_judgement: HISTORY,
  review_link: VOID(REVIEWS, "voids links, sessions and challenges"),
  review_policy: STAYS(
    "no key judges under it before the backup is declared the newest state, or a key is enrolled anew",
  ),
  review_record: PAUSED(REVIEWS, "ends the proposals from before it"),
  review_session: VOID(REVIEWS, "voids links, sessions and challenges"),
  reviewer: NONE("names of persons; only their keys judge"),
  reviewer_key: PAUSED(REVIEWS, "pauses keys from before it until the backup is declared the newest state"),
  restore_confirmation: PAUSED(PAUSES, "is paused again by the next restore"),
  sales_dialogue: STAYS("the turn of a free dialogue, until its own end"),
  sales_offer: STAYS("an offer names a price that the catalogue has anyway, until its own end"),
  sales_opt_out: PAUSED(VOIDS, "a return to agent sales"),
  sales_switch: STAYS("the operator's own switch, shown by bizauth sales status"),
  service_identity: STAYS("names the service's own identities"),
  service_key: STAYS("the operator puts the key files back by hand, and sees each key with bizauth keys list"),
  shared_use: COUNT,
  signature_nonce: VOID(VOIDS, "a nonce"),
  sold_answer: HISTORY,
  sold_fill: HISTORY,
  sold_party: HISTORY,
  sold_waiting: HISTORY,
  source_acceptance: STAYS(
    "nobody takes an acceptance back: it names the bytes of one publication, and every answer says so",
  ),
  source_attempt: HISTORY,
  source_check: HISTORY,
  source_event: HISTORY,
  source_health_event: HISTORY,
  snapshot_detail: NONE("digests of files with what lists print, which are not in a backup and are built again"),
  source_snapshot: EVIDENCE,
  spent_change: STAYS("as answer_record"),
  supplier: HISTORY,
  supplier_distinct: STAYS("follows from a delivered authorization, as answer_record"),
  supplier_entity: HISTORY,
  supplier_identifier: HISTORY,
  supplier_name: HISTORY,
  supplier_statement: STAYS("a statement of the lost hours is gone; the printed report asks for it again"),
  suppression: PAUSED(PAUSES, "clears nobody after the restore"),
  suppression_event: HISTORY,
  suppression_use: HISTORY,
  unsettled_value: COUNT,
  used_nonce: VOID(SCENARIO, "a nonce that was signed before the restore counts as used"),
  wallet_document: STAYS("documents of others, which are verified anew; their owner reads them with a key that counts"),
  wallet_entry: STAYS("as wallet_document"),
  wallet_request: HISTORY,
  wallet_total: COUNT,
  wallet_usage: COUNT,
}

const names = Object.values(tables)
  .filter((table) => is(table, Table))
  .map((table) => getTableName(table as Table))
  .sort()

test("every table of the database has its row: what a restore does with the rights in it", () => {
  expect(Object.keys(AFTER).sort()).toEqual(names)
})

test("every row that is void or paused is shown by a test, and every other one has its reason", () => {
  for (const [name, row] of Object.entries(AFTER)) {
    if ("why" in row) expect([name, row.why.length > 5]).toEqual([name, true])
    else {
      const path = join(import.meta.dir, "..", row.shownBy[0])
      const text = existsSync(path) ? readFileSync(path, "utf8") : ""
      expect([name, text.includes(row.shownBy[1])]).toEqual([name, true])
    }
  }
})
