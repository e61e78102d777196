import { EXIT } from "../../base/exit.ts"
import { createLog } from "../../base/log.ts"
import { realMachine } from "../../base/machine.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { digestOf } from "../../core/digest.ts"
import { formatInstant, instant } from "../../core/time.ts"
import { type LiftedQuestions, liftedAsJson, liftedQuestions, liftedText } from "../../judgements/lifted-questions.ts"
import { indexOf, type LoadedSnapshots, loadSnapshots } from "../../sources/boards/load-snapshots.ts"
import type { EntryBook } from "../../sources/details/entry-book.ts"
import { stillScreened } from "../../sources/import/removed-parties.ts"
import { sharedOf } from "../../sources/machines/shared-database.ts"
import { REQUIRED_GB_SOURCES } from "../../sources/records/party.ts"
import type { NameIndex } from "../../sources/screening/name-index.ts"
import { entryHash, type ScreenedParty } from "../../sources/screening/suppress.ts"
import { listSuppressions, pausedSuppressions, type SuppressionRecord } from "../../store/sources/suppressions.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"
import { printable } from "../screening/hit-text.ts"
import { openEntries } from "../screening/screening-lists.ts"

/** PAUSED: by a restore, until somebody confirms it. LAPSED: the entry changed or left its list, so the suppressed entry does not exist any more. */
type State = "IN_FORCE" | "PAUSED" | "LAPSED" | "EXPIRED" | "REVOKED"

/**
 * DETAILS_CHANGED: no rule reads what changed, so the judgement still counts, but a person may judge otherwise now. NOT_COMPARED: it does not count
 * now, or one of the two was not read, or by another version of the reader.
 */
type Details = "SAME" | "DETAILS_CHANGED" | "NOT_COMPARED"

interface Stated {
  readonly record: SuppressionRecord
  readonly party: ScreenedParty
  readonly lifted: LiftedQuestions
  readonly state: State
  readonly details: Details
}

export const command: Command = {
  name: "suppressions list",
  summary: "the judgements that a party is not a listed entry: who, why, until when, and whether each still counts",
  operands: "",
  flags: { ...DATA_FLAG, all: { help: "also those that ended" }, ...JSON_FLAG },
  examples: ["suppressions list --data ./data"],
  async run(input) {
    const { engine, store, paths } = await openData(input)
    const log = createLog("warn", input.err, realMachine.now)
    const now = realMachine.now()
    const { records, paused } = await store.read(function* () {
      const ids = (yield* pausedSuppressions(formatInstant(now))).map(({ suppressionId }) => suppressionId)
      return { records: yield* listSuppressions(), paused: new Set(ids) }
    })
    const place = { store, snapshotsDirectory: paths.snapshots, shared: sharedOf(engine, realMachine), log }
    const { snapshots } = await loadSnapshots(place)
    const detailed = records.some(({ detailsDigest }) => detailsDigest !== null)
    const rows = detailed ? [...snapshots.values()].map(({ row }) => row) : []
    const entries = await openEntries({ store, root: paths.snapshots, log }, rows)
    await store.close()
    const named = new Set(records.map((record) => record.entryId))
    const screened = new Set<string>()
    for (const { stored } of snapshots.values()) {
      const parties = [...stored.parties, ...stillScreened(stored.removed, now).map(({ party }) => party)]
      for (const party of parties)
        if (named.has(party.entryId)) screened.add(keyOf({ ...party, entryHash: entryHash(party) }))
    }
    const numbered = ukIndex(snapshots, now)
    const stated = records.map((record): Stated => {
      const party = JSON.parse(record.party) as ScreenedParty
      const lifted = liftedQuestions(party, record.sourceId, numbered)
      const state = stateOf(record, screened, paused, now)
      const snapshotId = snapshots.get(record.sourceId)?.row.snapshotId ?? null
      return {
        record,
        party,
        lifted,
        state,
        details: state === "IN_FORCE" ? detailsOf(entries, record, snapshotId) : "NOT_COMPARED",
      }
    })
    await entries.stop()
    const shown = input.on("all") ? stated : stated.filter(({ state }) => state !== "EXPIRED" && state !== "REVOKED")
    if (input.on("json")) {
      input.out(`${canonicalize({ version: 1, suppressions: shown.map(asJson) })}\n`)
    } else input.out(shown.length === 0 ? "none\n" : shown.map(forPeople).join(""))
    return EXIT.DONE
  },
}

/** The lists of the UK products, which may have the number of a company. */
function ukIndex(snapshots: LoadedSnapshots["snapshots"], now: number): NameIndex {
  return indexOf(new Map([...snapshots].filter(([id]) => (REQUIRED_GB_SOURCES as readonly string[]).includes(id))), now)
}

const keyOf = (entry: { sourceId: string; entryId: string; entryHash: string }) =>
  JSON.stringify([entry.sourceId, entry.entryId, entry.entryHash])

function stateOf(
  record: SuppressionRecord,
  screened: ReadonlySet<string>,
  paused: ReadonlySet<string>,
  now: number,
): State {
  if (record.revoked) return "REVOKED"
  if (instant(record.expiresAt) <= now) return "EXPIRED"
  if (paused.has(record.suppressionId)) return "PAUSED"
  return screened.has(keyOf(record)) ? "IN_FORCE" : "LAPSED"
}

/** `snapshotId`: of the list in use. */
function detailsOf(entries: EntryBook, record: SuppressionRecord, snapshotId: string | null): Details {
  if (record.detailsDigest === null || snapshotId === null) return "NOT_COMPARED"
  const found = entries.entryOf(record.sourceId, snapshotId, record.entryId)
  if (found === null || found.detailsVersion !== record.detailsVersion) return "NOT_COMPARED"
  return digestOf(found.details) === record.detailsDigest ? "SAME" : "DETAILS_CHANGED"
}

function forPeople({ record, party, lifted, state, details }: Stated): string {
  const ids = party.identifiers.map(({ scheme, value }) => `${scheme}:${value}`)
  const lines = [
    `${state.padEnd(8)}  ${record.suppressionId}  ${record.sourceId} ${record.entryId}  until ${record.expiresAt}`,
    `  party   ${[party.name, party.type ?? "any type", ...ids, ...party.countries].join("  ")}`,
    `  judged  ${record.createdAt} by ${record.author}: ${record.reason}`,
    ...(state === "PAUSED" ? [`  paused  by a restore: bizauth suppressions confirm ${record.suppressionId}`] : []),
    ...(details === "DETAILS_CHANGED"
      ? [
          `  details DETAILS_CHANGED since it was judged: read bizauth sources entry ${record.sourceId}:${record.entryId}, and revoke the judgement if it does not hold any more`,
        ]
      : []),
    ...liftedText(party, lifted),
    usedText(record.used),
    ...(record.revoked ? [`  revoked ${record.revoked.at} by ${record.revoked.author}: ${record.revoked.reason}`] : []),
  ]
  return `${lines.map(printable).join("\n")}\n`
}

function usedText(used: SuppressionRecord["used"]): string {
  if (used === null) return "  changed no delivered answer yet"
  const last = used.lastRequestId === null ? "" : `, of request ${used.lastRequestId}`
  return `  changed ${used.times} delivered answers, the last at ${used.lastAt}${last}`
}

function asJson({ record, party, lifted, state, details }: Stated) {
  const { revoked, used } = record
  return {
    suppression_id: record.suppressionId,
    state,
    details,
    party,
    lifted: liftedAsJson(lifted),
    used: used && { last_at: used.lastAt, times: used.times, last_request_id: used.lastRequestId },
    party_digest: record.partyDigest,
    source_id: record.sourceId,
    entry_id: record.entryId,
    entry_hash: record.entryHash,
    author: record.author,
    reason: record.reason,
    created_at: record.createdAt,
    expires_at: record.expiresAt,
    revoked: revoked && { at: revoked.at, author: revoked.author, reason: revoked.reason },
  }
}
