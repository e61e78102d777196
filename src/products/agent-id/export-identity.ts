import { EXPORT_BYTES_MAX, EXPORT_EVENTS_MAX } from "../../../schemas/agent-id/export.ts"
import { ServiceError } from "../../base/errors.ts"
import type { Machine } from "../../base/machine.ts"
import type { LogKey } from "../../core/sign-checkpoint.ts"
import type { Signer } from "../../core/signer.ts"
import { instant } from "../../core/time.ts"
import type { Call, Reply } from "../../http/call.ts"
import type { Store, Unit } from "../../store/engine/unit.ts"
import { type ExportFacts, readExport } from "../../store/identity/agent-export.ts"
import { headDigestOf } from "../../store/identity/agent-identity.ts"
import { serviceIdentities } from "../../store/identity/service-identities.ts"
import type { KeyUse } from "../../store/identity/service-keys.ts"
import { exportText } from "./export-bundle.ts"
import type { KeptExports } from "./kept-exports.ts"
import { statusWindow } from "./status.ts"

export interface ExportDeps {
  readonly store: Store
  readonly machine: Machine
  readonly signer: () => Signer
  readonly logKey: () => LogKey
  /** Reloads the service's keys from the database at once, instead of within a second. */
  readonly refreshKeys: () => Promise<unknown>
  readonly logOrigin: string
  readonly baseUrl: () => string
  readonly kept: KeptExports
}

const AGENT_ID = /^svc:agent:[A-Za-z0-9_-]{32}$/

/** Reads the whole content of the bundle in one transaction (rulings 21), signs it afterwards, and caches it for its time window. */
export async function replyExport(deps: ExportDeps, call: Call<null>): Promise<Reply> {
  const agentId = call.params["agentId"] ?? ""
  const headers = { "content-disposition": `attachment; filename="${agentId.replaceAll(":", "-")}.json"` }
  const madeFrom = await newestOf(deps, agentId)
  const known = deps.kept.get(agentId, madeFrom)
  if (known) return { status: 200, body: known, headers, note: { kept: true } }
  const { facts, signer, logKey } = await readSigned(deps, agentId)
  const at = exportTime(facts, deps.machine.now())
  const terms = { signer, logKey, logOrigin: deps.logOrigin, baseUrl: deps.baseUrl(), at }
  const bytes = new TextEncoder().encode(exportText(facts, terms))
  if (bytes.length > EXPORT_BYTES_MAX) throw tooLong()
  deps.kept.set(agentId, bytes, madeFrom)
  return { status: 200, body: bytes, headers, note: { events: facts.history.events.length } }
}

/** The newest event of each history in the bundle, from whichever process accepted it, and the time window. */
async function newestOf({ store, machine }: ExportDeps, agentId: string): Promise<string> {
  if (!AGENT_ID.test(agentId)) throw notFound()
  const heads = await store.read(() => readHeads(agentId))
  return [...heads, statusWindow(machine.now())].join(" ")
}

function* readHeads(agentId: string): Unit<(string | null)[]> {
  const found = [yield* headDigestOf(agentId)]
  for (const own of yield* serviceIdentities()) found.push(yield* headDigestOf(own.agentId))
  return found
}

/**
 * Not the arrival time of the call, and never before an event in the bundle: an event may have been accepted since, or the clock set back.
 */
function exportTime({ history, service }: ExportFacts, now: number): number {
  return Math.max(now, ...[history, ...service].map(({ headAcceptedAt }) => instant(headAcceptedAt)))
}

/**
 * If another process has just rotated a key, the histories show it as ACTIVE before this process has it in memory. Then both are read
 * again.
 */
async function readSigned(deps: ExportDeps, agentId: string) {
  const facts = await factsOf(deps, agentId)
  const [signer, logKey] = [deps.signer(), deps.logKey()]
  if (isActive(facts, "statement", signer.keyId) && isActive(facts, "log", logKey.keyId))
    return { facts, signer, logKey }
  await deps.refreshKeys()
  return { facts: await factsOf(deps, agentId), signer: deps.signer(), logKey: deps.logKey() }
}

async function factsOf({ store }: ExportDeps, agentId: string): Promise<ExportFacts> {
  const outcome = await store.read(() => readExport(agentId, EXPORT_EVENTS_MAX))
  switch (outcome.kind) {
    case "FOUND":
      return outcome.facts
    case "NOT_FOUND":
      throw notFound()
    case "TOO_LONG":
      throw tooLong()
  }
}

function notFound(): ServiceError {
  return new ServiceError("AGENT_NOT_FOUND", "No identity has this id.")
}

function tooLong(): ServiceError {
  return new ServiceError(
    "EXPORT_TOO_LONG",
    `A bundle holds ${EXPORT_EVENTS_MAX} events and ${EXPORT_BYTES_MAX} bytes. Status and jwks.json still answer for this identity.`,
  )
}

function isActive({ serviceKeys }: ExportFacts, use: KeyUse, keyId: string): boolean {
  return serviceKeys.some((key) => key.use === use && key.keyId === keyId && key.status === "ACTIVE")
}
