import { EXIT } from "../../base/exit.ts"
import { createLog } from "../../base/log.ts"
import { realMachine } from "../../base/machine.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { absentWayOut } from "../../sources/boards/absent-snapshot.ts"
import type { KnownSource } from "../../sources/boards/known-source.ts"
import { loadStates } from "../../sources/boards/load-states.ts"
import { saleLimit, soldWith } from "../../sources/boards/sellable.ts"
import type { SourceState, UsedSnapshot } from "../../sources/boards/source-board.ts"
import { lacksOf, type StoredState, sourceStates } from "../../sources/boards/source-health.ts"
import { KNOWN_SOURCES } from "../../sources/known-sources.ts"
import { sharedOf } from "../../sources/machines/shared-database.ts"
import type { Finding } from "../../sources/records/adapter.ts"
import { isRegisterId } from "../../sources/records/register-id.ts"
import { type Command, JSON_FLAG } from "../command.ts"
import { liveAsJson, liveForPeople, liveState } from "../company/live-register.ts"
import { CONFIG_FLAGS, openData, readSettings } from "../inputs.ts"
import { acceptanceLine, findingLine, publishedLine } from "./import-report.ts"

export const command: Command = {
  name: "sources status",
  summary: "health, age and version of every source, the result of its last attempt, and the time of the next one",
  operands: "",
  flags: { ...CONFIG_FLAGS, ...JSON_FLAG },
  examples: ["sources status --data ./data"],
  async run(input) {
    const { config } = readSettings(input)
    const { sources_disabled: disabled, sources_fetch: fetching } = config
    const { engine, store, paths } = await openData(input)
    const log = createLog("warn", input.err, realMachine.now)
    const shared = sharedOf(engine, realMachine)
    const place = { store, snapshotsDirectory: paths.snapshots, shared, machine: realMachine, log }
    const loaded = await loadStates(place, { work: input.progress })
    const live = await liveState(config, { store, log })
    await store.close()
    const at = realMachine.now()
    const lacks = shared === null ? undefined : lacksOf(loaded.absent)
    const states = sourceStates(KNOWN_SOURCES, loaded, { disabled, fetching, lacks, at })
    const notHere = (id: string) => (lacks ? (loaded.absent.find(({ sourceId }) => sourceId === id) ?? null) : null)
    const lastOf = (state: AnyState) => lastAttempt(state, loaded)
    if (input.on("json")) {
      const [registers, lists] = [states.filter(isRegister), states.filter((state) => !isRegister(state))]
      const sources = lists.map((state) => ({ ...asJson(state, lastOf(state)), sold_with: soldWith(state, at) }))
      const others = registers.map((state) => asJson(state, lastOf(state)))
      input.out(`${canonicalize({ version: 1, sources, registers: others, live_register: live && liveAsJson(live) })}
`)
    } else {
      for (const state of states) {
        const limit = isRegister(state) ? null : saleLimit(soldWith(state, at))
        input.out(forPeople(state, lastOf(state), limit))
        const row = notHere(state.sourceId)
        if (row) input.out(`  not on this machine: ${absentWayOut(paths.snapshots, row)}\n`)
      }
      if (live) input.out(liveForPeople(live))
    }
    return EXIT.DONE
  },
}

type AnyState = SourceState<KnownSource["id"]>

const isRegister = ({ sourceId }: AnyState): boolean => isRegisterId(sourceId)

interface LastAttempt {
  readonly at: string
  readonly outcome: string
  /** Why the publisher's answer could not be used; null if there was an import that states it. */
  readonly code: string | null
  readonly detail: string | null
  readonly findings: readonly Finding[]
}

/** An import has findings. A fetch round without an import has a code. */
function lastAttempt({ sourceId, lastAttempt: last }: AnyState, loaded: StoredState): LastAttempt | null {
  if (last === null) return null
  const attempt = loaded.attempts.get(sourceId)
  if (attempt?.at === last.at && attempt.outcome === last.outcome)
    return { ...last, code: null, detail: null, findings: JSON.parse(attempt.findings) as readonly Finding[] }
  const check = loaded.checks.get(sourceId)
  return { ...last, code: check?.code ?? null, detail: check?.detail ?? null, findings: [] }
}

function asJson(state: AnyState, last: LastAttempt | null) {
  const { snapshot } = state
  return {
    source_id: state.sourceId,
    health: state.health,
    freshness: state.freshness,
    reason_codes: state.reasonCodes,
    age_seconds: state.ageSeconds,
    stale_at: state.staleAt,
    checked_at: state.checkedAt,
    last_attempt: last,
    next_attempt_at: state.nextAttemptAt,
    snapshot: snapshot && {
      snapshot_id: snapshot.snapshotId,
      source_version: snapshot.sourceVersion,
      source_timestamp: snapshot.sourceTimestamp,
      retrieved_at: snapshot.retrievedAt,
      parser_version: snapshot.parserVersion,
      raw_sha256: snapshot.rawSha256,
      entries: snapshot.entries,
      published_at: snapshot.publishedAt,
      published_from: snapshot.publishedFrom,
      confirmed_at: snapshot.confirmedAt,
      limitations: snapshot.limitations,
      acceptances: snapshot.acceptances,
      findings: snapshot.findings,
    },
  }
}

/**
 * Prints the findings of the snapshot in use, and the findings of a later rejected attempt. `limit`: what is not sold with it; null for a
 * register, because answers do without it or say what they lack.
 */
function forPeople(state: AnyState, last: LastAttempt | null, limit: string | null): string {
  const { snapshot, checkedAt, nextAttemptAt } = state
  const held = snapshot
    ? `${state.freshness.padEnd(5)}  ${snapshot.entries} entries  ${snapshot.sourceVersion}  retrieved ${snapshot.retrievedAt}  stale ${state.staleAt}`
    : "no snapshot"
  const lines = [`${state.sourceId.padEnd(20)}  ${state.health.padEnd(12)}  ${held}`]
  if (limit !== null) lines.push(`  ${limit}`)
  if (snapshot) lines.push(...snapshotLines(snapshot, checkedAt))
  if (last?.outcome === "REFUSED" || last?.outcome === "FAILED") {
    lines.push(`  last ${last.code === null ? "import" : "fetch"} ${last.outcome.toLowerCase()} ${last.at}`)
    if (last.code !== null) lines.push(`  ${last.code}  ${last.detail ?? ""}`)
    lines.push(...last.findings.map(findingLine))
  }
  if (nextAttemptAt) lines.push(`  asked next ${nextAttemptAt}`)
  return `${lines.join("\n")}\n`
}

function snapshotLines(snapshot: UsedSnapshot, checkedAt: string | null): string[] {
  const { publishedAt, publishedFrom, retrievedAt, limitations, acceptances, findings } = snapshot
  return [
    ...(publishedAt === null ? [] : [publishedLine(publishedAt, publishedFrom)]),
    ...(checkedAt === retrievedAt ? [] : [`  confirmed by its publisher ${checkedAt}`]),
    ...(limitations.includes("PUBLICATION_UNKNOWN") ? ["  published unknown (PUBLICATION_UNKNOWN)"] : []),
    ...(limitations.includes("SAMPLE") ? ["  SAMPLE: a live data directory would have refused it"] : []),
    ...acceptances.map(acceptanceLine),
    ...findings.map(findingLine),
  ]
}
