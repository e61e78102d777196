import { version } from "../../../package.json"
import type { Config } from "../../base/config.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { createLog } from "../../base/log.ts"
import { titled } from "../../base/long-work.ts"
import { realMachine } from "../../base/machine.ts"
import { secretOf } from "../../base/secret-setting.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { parseInstant, SECOND } from "../../core/time.ts"
import { fetchRound, type RoundContext, type RoundReport } from "../../sources/fetch/fetch-round.ts"
import { fetchTarget, type TargetContext } from "../../sources/fetch/fetch-target.ts"
import { realNetwork } from "../../sources/fetch/network.ts"
import type { Transport } from "../../sources/fetch/open-response.ts"
import { BUSY_EVENT, NEVER } from "../../sources/fetch/schedule/fetch-child.ts"
import { TRANSFER_LIMITS } from "../../sources/fetch/transfer-limits.ts"
import { ImportBusy } from "../../sources/import/import-lock.ts"
import { sharedOf } from "../../sources/machines/shared-database.ts"
import { SOURCE_IDS, type SourceId } from "../../sources/records/party.ts"
import type { RegisterId } from "../../sources/records/register-id.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { asConfigRefusal, CONFIG_FLAGS, openData, readSettings } from "../inputs.ts"
import { acceptedDigest, IMPORT_FLAGS } from "./import-options.ts"
import { findingLine, importAsJson } from "./import-report.ts"
import { inUseFor } from "./in-use.ts"
import { asImportRefusal, needSource } from "./source-argument.ts"

export const command: Command = {
  name: "sources fetch",
  summary: "ask the publishers of these sources, or of all sources, for new files and import them",
  operands: "[ID…]",
  flags: {
    ...CONFIG_FLAGS,
    "accept-shrink": IMPORT_FLAGS["accept-shrink"],
    "last-attempt": {
      help: `ask the publisher only if nobody has asked since this last attempt at it, or ${NEVER}; serve passes it`,
      value: "TIME",
    },
    ...JSON_FLAG,
  },
  examples: ["sources fetch --data ./data"],
  async run(input) {
    const { config } = readSettings(input)
    requireUnpinned(config)
    const ids = wanted(input, config.sources_disabled)
    requireContact(ids, config)
    const acceptShrink = acceptedDigest(input)
    if (acceptShrink !== null && ids.length !== 1) {
      throw new CommandError(EXIT.USAGE, "--accept-shrink is the digest of one source's bytes: name only that source")
    }
    const samKey = samKeyOf(config)
    const { engine, store, paths, environment } = await openData(input)
    try {
      const shared = sharedOf(engine, realMachine)
      const place = { store, machine: realMachine, root: paths.snapshots, shared }
      const parts = { ...place, environment, samKey, acceptShrink, ...lastAttemptOf(input, ids) }
      const { reports, stoppedBy } = await fetchAll(input, ids, { ...parts, transport: transportOf(config) })
      if (input.on("json")) input.out(`${canonicalize({ version: 1, sources: reports.map(asJson) })}\n`)
      if (stoppedBy !== null) throw asImportRefusal(stoppedBy)
      if (!input.on("json")) input.out(`\n${await inUseFor(input, config, store)}`)
      return exitOf(reports)
    } finally {
      await store.close()
    }
  },
}

/** Exits with 2 for a text that is no time. */
function lastAttemptOf(input: Input, ids: readonly string[]): Pick<RoundContext, "lastAttempt"> {
  const text = input.text("last-attempt")
  if (text === undefined) return {}
  if (ids.length !== 1)
    throw new CommandError(EXIT.USAGE, "--last-attempt is that of one source: name only that source")
  if (text === NEVER) return { lastAttempt: null }
  if (parseInstant(text) !== null) return { lastAttempt: text }
  throw new CommandError(
    EXIT.USAGE,
    `--last-attempt must be an RFC 3339 time such as 2026-01-31T00:00:00.000Z, or ${NEVER}`,
  )
}

interface Fetched {
  readonly reports: readonly RoundReport[]
  /** The error that stopped the command, such as a full data directory. Earlier results are still reported. */
  readonly stoppedBy: unknown
}

async function fetchAll(
  input: Input,
  ids: readonly (SourceId | RegisterId)[],
  parts: Omit<RoundContext & TargetContext, "wait" | "work">,
): Promise<Fetched> {
  const reports: RoundReport[] = []
  let stoppedBy: unknown = null
  for (const [at, id] of ids.entries()) {
    const work = titled(input.progress, ids.length === 1 ? id : `${id} (${at + 1} of ${ids.length})`)
    const wait = (ms: number) => {
      work.step({ what: `waiting ${Math.ceil(ms / SECOND)} s before the next request` })
      return Bun.sleep(ms)
    }
    const context = { ...parts, wait, work }
    const target = fetchTarget(needSource(id), context)
    work.step({ what: "asking the publisher" })
    try {
      reports.push(await fetchRound(target, context))
    } catch (error) {
      stoppedBy ??= error
      // A busy source does not affect the next one; a full disk does.
      if (!(error instanceof ImportBusy)) break
      if (input.on("json")) createLog("info", input.err, realMachine.now).info(BUSY_EVENT, { source_id: id })
      continue
    } finally {
      input.progress.clear()
    }
    const report = reports.at(-1)
    if (report && !input.on("json")) input.out(forPeople(report))
  }
  return { reports, stoppedBy }
}

function transportOf(config: Config): Transport {
  return {
    network: realNetwork,
    mirror: config.source_mirror && { base: config.source_mirror },
    limits: TRANSFER_LIMITS,
    userAgent: userAgentOf(config),
  }
}

/** INVARIANT: with pinned keys, only a list signed by one of them becomes active. Publishers do not sign their files. */
function requireUnpinned({ source_manifest_keys: keys }: Config): void {
  if (keys === null) return
  throw new CommandError(
    EXIT.CONFIG,
    "source_manifest_keys allows signed snapshots alone: carry them with sources export and sources import, or unset it to fetch",
  )
}

/**
 * Returns each named source once; without names every list that is not disabled. CHOICE: a register is fetched only if it is named, because
 * it is optional and has gigabytes.
 */
function wanted(input: Input, disabled: readonly string[]): readonly (SourceId | RegisterId)[] {
  const named = [...new Set(input.operands.map((id) => needSource(id).id))]
  const off = named.find((id) => disabled.includes(id))
  if (off) throw new CommandError(EXIT.CONFIG, `${off} is switched off by sources_disabled`)
  return named.length > 0 ? named : SOURCE_IDS.filter((id) => !disabled.includes(id))
}

function requireContact(ids: readonly string[], { sources_contact: contact, source_mirror: mirror }: Config): void {
  if (!ids.includes("US_SEC_EDGAR") || contact !== null || mirror !== null) return
  throw new CommandError(EXIT.CONFIG, "sources_contact is needed: the SEC rejects callers without a contact")
}

function userAgentOf({ sources_contact: contact }: Config): string {
  return `bizauth/${version}${contact === null ? "" : ` (${contact})`}`
}

function samKeyOf(config: Config): string | null {
  try {
    return secretOf(config, "sam_key_file")
  } catch (error) {
    throw asConfigRefusal(error)
  }
}

function exitOf(reports: readonly RoundReport[]): ExitCode {
  if (reports.some(({ outcome }) => outcome === "REFUSED")) return EXIT.INVALID
  return reports.some(({ outcome }) => outcome === "FAILED") ? EXIT.NOT_CHECKED : EXIT.DONE
}

function asJson({ sourceId, at, outcome, code, detail, retryAfterUntil, active, brought }: RoundReport) {
  return {
    source_id: sourceId,
    attempted_at: at,
    outcome,
    code,
    detail,
    retry_after_until: retryAfterUntil,
    active_snapshot_id: active?.snapshotId ?? null,
    import: brought && importAsJson(brought),
  }
}

function forPeople({ sourceId, outcome, code, detail, retryAfterUntil, active, brought }: RoundReport): string {
  const isCurrent = outcome === "IMPORTED" || outcome === "NOT_MODIFIED"
  const held = active ? `${active.entries} entries  ${active.sourceVersion}` : "no snapshot"
  const said = isCurrent ? held : `${code ?? ""}  ${detail ?? ""}`
  const lines = [
    `${sourceId.padEnd(20)}  ${outcome.padEnd(12)}  ${said}`,
    ...(brought ? brought.findings.map(findingLine) : []),
    ...(brought && !isCurrent ? [`  raw ${brought.rawSha256}`] : []),
    ...(retryAfterUntil ? [`  do not ask again before ${retryAfterUntil}`] : []),
    ...(isCurrent ? [] : [`  the active snapshot is unchanged: ${held}`]),
  ]
  return `${lines.join("\n")}\n`
}
