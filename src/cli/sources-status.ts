import { commaList } from "../config.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { createLog } from "../log.ts"
import { realMachine } from "../machine.ts"
import type { Finding } from "../sources/adapter.ts"
import { loadSnapshots } from "../sources/load-snapshots.ts"
import { SOURCE_IDS } from "../sources/party.ts"
import { openRegisters } from "../sources/registers/open-register-board.ts"
import type { RegisterState } from "../sources/registers/register-board.ts"
import { REGISTER_ADAPTERS } from "../sources/registers/registry.ts"
import type { SourceState } from "../sources/source-board.ts"
import { sourceStates } from "../sources/source-health.ts"
import type { AttemptRow } from "../store/sources.ts"
import { type Command, JSON_FLAG } from "./command.ts"
import { EXIT } from "./exit.ts"
import { CONFIG_FLAGS, openData, readSettings } from "./inputs.ts"

export const command: Command = {
  name: "sources status",
  summary: "health, age and version of every source, and what the last import came to",
  operands: "",
  flags: { ...CONFIG_FLAGS, ...JSON_FLAG },
  async run(input) {
    const disabled = commaList(readSettings(input).config.sources_disabled)
    const { store, paths } = await openData(input)
    const log = createLog("warn", input.err, realMachine.now)
    const loaded = await loadSnapshots({ store, snapshotsDirectory: paths.snapshots, log })
    const parts = { store, root: paths.snapshots, machine: realMachine, log, adapters: REGISTER_ADAPTERS, disabled }
    const opened = await openRegisters(parts)
    await store.close()
    const registers = opened.states(realMachine.now())
    opened.close()
    const states = sourceStates(SOURCE_IDS, loaded, disabled, realMachine.now())
    const findingsOf = (id: string) => readFindings(loaded.attempts.get(id))
    if (input.on("json")) {
      const sources = states.map((state) => asJson(state, findingsOf(state.sourceId)))
      const others = registers.map((state) => asJson(state, findingsOf(state.sourceId)))
      input.out(`${canonicalize({ version: 1, sources, registers: others })}\n`)
    } else for (const state of [...states, ...registers]) input.out(forPeople(state, findingsOf(state.sourceId)))
    return EXIT.DONE
  },
}

function readFindings(attempt: AttemptRow | undefined): readonly Finding[] {
  return attempt ? (JSON.parse(attempt.findings) as readonly Finding[]) : []
}

function asJson(state: SourceState | RegisterState, findings: readonly Finding[]) {
  const { snapshot } = state
  return {
    source_id: state.sourceId,
    health: state.health,
    freshness: state.freshness,
    reason_codes: state.reasonCodes,
    age_seconds: state.ageSeconds,
    stale_at: state.staleAt,
    last_attempt: state.lastAttempt && { ...state.lastAttempt, findings },
    snapshot: snapshot && {
      snapshot_id: snapshot.snapshotId,
      source_version: snapshot.sourceVersion,
      source_timestamp: snapshot.sourceTimestamp,
      retrieved_at: snapshot.retrievedAt,
      parser_version: snapshot.parserVersion,
      raw_sha256: snapshot.rawSha256,
      entries: snapshot.entries,
    },
  }
}

/** Findings of an import that went through are old news; those of a refused one say why the list is not newer. */
function forPeople(state: SourceState | RegisterState, findings: readonly Finding[]): string {
  const { snapshot, lastAttempt } = state
  const held = snapshot
    ? `${state.freshness.padEnd(5)}  ${snapshot.entries} entries  ${snapshot.sourceVersion}  retrieved ${snapshot.retrievedAt}  stale ${state.staleAt}`
    : "no snapshot"
  const lines = [`${state.sourceId.padEnd(20)}  ${state.health.padEnd(12)}  ${held}`]
  if (lastAttempt?.outcome === "REFUSED") {
    lines.push(`  last import refused ${lastAttempt.at}`)
    for (const { severity, code, detail } of findings) lines.push(`  ${severity}  ${code}  ${detail}`)
  }
  return `${lines.join("\n")}\n`
}
