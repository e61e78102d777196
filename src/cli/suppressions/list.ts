import { EXIT } from "../../base/exit.ts"
import { createLog } from "../../base/log.ts"
import { realMachine } from "../../base/machine.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { formatInstant, instant } from "../../core/time.ts"
import { loadSnapshots } from "../../sources/boards/load-snapshots.ts"
import { stillScreened } from "../../sources/import/removed-parties.ts"
import { sharedOf } from "../../sources/machines/shared-database.ts"
import { entryHash, type ScreenedParty } from "../../sources/screening/suppress.ts"
import { listSuppressions, pausedSuppressions, type SuppressionRecord } from "../../store/sources/suppressions.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"
import { liftedAsJson, liftedText, printable } from "./lifted-questions.ts"

/** PAUSED: by a restore, until somebody confirms it. LAPSED: the entry changed or left its list, so the suppressed entry does not exist any more. */
type State = "IN_FORCE" | "PAUSED" | "LAPSED" | "EXPIRED" | "REVOKED"

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
    await store.close()
    const named = new Set(records.map((record) => record.entryId))
    const screened = new Set<string>()
    for (const { stored } of snapshots.values()) {
      const parties = [...stored.parties, ...stillScreened(stored.removed, now).map(({ party }) => party)]
      for (const party of parties)
        if (named.has(party.entryId)) screened.add(keyOf({ ...party, entryHash: entryHash(party) }))
    }
    const stated = records.map((record) => ({ record, state: stateOf(record, screened, paused, now) }))
    const shown = input.on("all") ? stated : stated.filter(({ state }) => state !== "EXPIRED" && state !== "REVOKED")
    if (input.on("json")) {
      input.out(
        `${canonicalize({ version: 1, suppressions: shown.map(({ record, state }) => asJson(record, state)) })}\n`,
      )
    } else
      input.out(shown.length === 0 ? "none\n" : shown.map(({ record, state }) => forPeople(record, state)).join(""))
    return EXIT.DONE
  },
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

function forPeople(record: SuppressionRecord, state: State): string {
  const party = JSON.parse(record.party) as ScreenedParty
  const ids = party.identifiers.map(({ scheme, value }) => `${scheme}:${value}`)
  const lines = [
    `${state.padEnd(8)}  ${record.suppressionId}  ${record.sourceId} ${record.entryId}  until ${record.expiresAt}`,
    `  party   ${[party.name, party.type ?? "any type", ...ids, ...party.countries].join("  ")}`,
    `  judged  ${record.createdAt} by ${record.author}: ${record.reason}`,
    ...(state === "PAUSED" ? [`  paused  by a restore: bizauth suppressions confirm ${record.suppressionId}`] : []),
    ...liftedText(party, record.sourceId),
    record.used === null
      ? "  changed no delivered answer yet"
      : `  changed ${record.used.times} delivered answers, the last at ${record.used.lastAt}`,
    ...(record.revoked ? [`  revoked ${record.revoked.at} by ${record.revoked.author}: ${record.revoked.reason}`] : []),
  ]
  return `${lines.map(printable).join("\n")}\n`
}

function asJson(record: SuppressionRecord, state: State) {
  const { revoked, used } = record
  const party = JSON.parse(record.party) as ScreenedParty
  return {
    suppression_id: record.suppressionId,
    state,
    party,
    lifted: liftedAsJson(party, record.sourceId),
    used: used && { last_at: used.lastAt, times: used.times },
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
