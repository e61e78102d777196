/**
 * SVC-AGENT-BUNDLE-VERIFY-1: judges an export bundle with only the bundle, a pinned log key and a clock. The same code runs in `bizauth
 * agent verify-bundle` and in the published module. It uses no network, no disk and no module of the machine.
 */
import { AgentExportBundle } from "../../../../schemas/agent-id/export.ts"
import { decodeBase64url, sameBytes } from "../../../core/bytes.ts"
import type { VerifierKey } from "../../../core/checkpoint.ts"
import { isSandboxIssuer } from "../../../core/sandbox/sandbox-issuer.ts"
import { type JsonValue, memberOf } from "../../../core/strict-json.ts"
import { instant, parseInstant } from "../../../core/time.ts"
import { Fault, must } from "../../steps/fault.ts"
import { type History, readHistory } from "../../steps/identity/history.ts"
import { knowsNothing, requireKnowledge } from "../../steps/identity/holder.ts"
import { readServiceKeys, type ServiceKeys } from "../../steps/identity/service-keys.ts"
import { requireBundleSignature, requireReceipt, requireStatus, requireTimes } from "../../steps/identity/statements.ts"
import {
  currentMapRoot,
  openBundleCheckpoint,
  requireCurrency,
  requireInclusion,
  type SignedCheckpoint,
  type SigningTime,
} from "../../steps/identity/transparency.ts"
import { settle, type Terms, type VerifyOptions } from "../../steps/options.ts"
import { BYTES, readText } from "../../steps/read-text.ts"
import { needed, Run } from "../../steps/run.ts"
import { placeOf, shapeFault } from "../../steps/shape.ts"
import { ageSeconds, conclude, type IdentityConclusion, type StepName } from "./conclusion.ts"

/** The results of the steps so far. Null if the step did not pass. */
interface Found {
  bundle: AgentExportBundle | null
  history: History | null
  service: ServiceKeys | null
  checkpoint: SignedCheckpoint | null
}

/** `text` is the file content unchanged. Throws OptionError for unreadable options, never for a bad bundle. */
export async function verifyBundle(
  text: string | Uint8Array,
  options: VerifyOptions = {},
): Promise<IdentityConclusion> {
  const terms = settle(options)
  const run = new Run<StepName>()
  const value = readBytes(run, text, terms)
  const found: Found = { bundle: null, history: null, service: null, checkpoint: null }
  found.bundle = await run.step("SHAPE", () => ({
    value: shapedBundle(needed(value, "BYTES").json),
    detail: "matches the closed schema of the export bundle",
  }))
  found.history = await checkHistory(run, found)
  found.service = await run.step("SERVICE_KEYS", async () => ({
    value: await readServiceKeys(needed(found.bundle, "SHAPE")),
    detail: "the service's statement and log identities follow the same rules",
  }))
  found.checkpoint = await checkLog(run, found, terms)
  await checkWords(run, found)
  await checkAge(run, found, terms)
  return conclude(run, found, terms)
}

/** Differently formatted bytes are rejected, but still read, so that the report is complete. */
function readBytes(run: Run<StepName>, text: string | Uint8Array, { reformatted }: Terms): { json: JsonValue } | null {
  try {
    const { value, canonical } = readText(text)
    if (canonical) run.note("BYTES", "VALID", "OK", BYTES.canonical)
    else if (reformatted) run.note("BYTES", "VALID", "REFORMATTED", BYTES.reformatted)
    else run.note("BYTES", "INVALID", "NOT_CANONICAL", BYTES.other)
    return { json: value }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    run.note("BYTES", error.outcome, error.reasonCode, error.detail)
    return null
  }
}

/** Throws {@link Fault} that names the member, never its value. */
function shapedBundle(value: JsonValue): AgentExportBundle {
  const { bundle_type: type } = AgentExportBundle.properties
  if (typeof value === "object" && memberOf(value, "bundle_type") !== type.const) {
    throw new Fault("BUNDLE_TYPE_UNKNOWN", "This verifier reads svc.agent-identity.export.v1.", "NOT_CHECKED")
  }
  const fault = shapeFault(AgentExportBundle, value)
  if (fault) throw new Fault("SHAPE_MISMATCH", `The closed schema of the bundle is broken at ${placeOf(fault)}.`)
  const shaped = value as unknown as AgentExportBundle
  must(!isSandboxIssuer(shaped.signature.issuer), "SANDBOX", "A bundle of the sandbox: anyone can make its keys.")
  const { as_of, fresh_until } = shaped.status.payload
  const exist = [shaped.exported_at, as_of, fresh_until].every((time) => parseInstant(time) !== null)
  must(exist, "TIME_INVALID", "A time of the bundle is not in the calendar.")
  return shaped
}

function checkHistory(run: Run<StepName>, { bundle }: Found): Promise<History | null> {
  return run.step("KEY_EVENTS", async () => {
    const { agent_id, key_event_log } = needed(bundle, "SHAPE")
    const history = await readHistory(agent_id, key_event_log)
    const count = history.events.length
    return {
      value: history,
      detail: `the id is the hash of the first event; ${count} event${count === 1 ? "" : "s"}, chained and signed by the keys the rules ask for`,
    }
  })
}

/** The steps for the transparency log: its identity, its checkpoint, the index of every event, and the absence of dropped events. */
async function checkLog(run: Run<StepName>, found: Found, { logKey }: Terms): Promise<SignedCheckpoint | null> {
  const { bundle, history, service } = found
  const checkpoint = await run.step("CHECKPOINT", async () => {
    const { transparency } = needed(bundle, "SHAPE")
    const { logs } = needed(service, "SERVICE_KEYS")
    const opened = await openBundleCheckpoint(transparency.checkpoint, logs, signingTime(needed(bundle, "SHAPE")))
    return { value: opened, detail: `signed by the log's key: ${opened.size} leaves of ${opened.origin}` }
  })
  await run.step("LOG_KEY", () => requirePin(logKey, needed(checkpoint, "CHECKPOINT")))
  await run.step("INCLUSION", () => {
    const { transparency, service_keys } = needed(bundle, "SHAPE")
    const { statements, logs } = needed(service, "SERVICE_KEYS")
    const tree = needed(checkpoint, "CHECKPOINT")
    requireInclusion(needed(history, "KEY_EVENTS"), transparency.event_proofs, tree)
    for (const own of service_keys.key_event_log) {
      requireInclusion(historyOf(own.agent_id, [...statements, ...logs]), own.event_proofs, tree)
    }
    return { value: true, detail: "every event is a leaf of the checkpoint's tree, in order" }
  })
  await run.step("CURRENCY", () => {
    const { transparency, service_keys } = needed(bundle, "SHAPE")
    const { statements, logs } = needed(service, "SERVICE_KEYS")
    const { currency_proof } = transparency
    const mapRoot = currentMapRoot(currency_proof, needed(checkpoint, "CHECKPOINT"))
    requireCurrency(needed(history, "KEY_EVENTS"), currency_proof.map_path, mapRoot)
    for (const own of service_keys.key_event_log) {
      requireCurrency(historyOf(own.agent_id, [...statements, ...logs]), own.map_path, mapRoot)
    }
    return {
      value: true,
      detail: "by the map in the newest leaf, no newer event of the identity or of the service's keys",
    }
  })
  return checkpoint
}

/**
 * A rotated key signed for its successor, so a pin on any key covers the history that contains it. INVARIANT: this applies only to the
 * history of the checkpoint's own signer. The genuine log's history is public, and a forger can include it in addition to a false one.
 */
function requirePin(logKey: VerifierKey | null, { origin, signers }: SignedCheckpoint) {
  if (logKey === null) {
    throw new Fault(
      "CONSISTENT_ONLY",
      "No log key is pinned: the bundle is consistent, but its origin is not proven.",
      "NOT_CHECKED",
    )
  }
  must(logKey.name === origin, "LOG_ORIGIN_DIFFERS", "The checkpoint is of another log than the pinned key's.")
  const keys = signers.flatMap(({ state }) => state.keys).filter(({ role }) => role === "OPERATIONAL")
  const pinned = keys.find(({ x }) => sameBytes(decodeBase64url(x, 32) ?? new Uint8Array(0), logKey.publicKey))
  must(
    pinned !== undefined,
    "LOG_KEY_DIFFERS",
    "The pinned key is not in the history of the identity that signed the checkpoint.",
  )
  const rotated = pinned.status !== "ACTIVE"
  return {
    value: true,
    reasonCode: rotated ? "ROTATED_SINCE_PINNED" : "OK",
    detail: rotated
      ? `the pinned key is ${pinned.status}; the key in use follows from its signed history. Pin that one now`
      : "the log's key is the pinned one",
  }
}

/** The steps for everything that the statement keys signed. */
async function checkWords(run: Run<StepName>, { bundle, history, service, checkpoint }: Found): Promise<void> {
  await run.step("RECEIPTS", async () => {
    const keys = needed(service, "SERVICE_KEYS")
    const all = [needed(history, "KEY_EVENTS"), ...keys.statements, ...keys.logs]
    for (const one of all) for (const event of one.events) await requireReceipt(one, event, keys)
    return { value: true, detail: "the service signed when it accepted each event, and where it logged it" }
  })
  await run.step("STATUS", async () => {
    const given = needed(bundle, "SHAPE")
    const keys = needed(service, "SERVICE_KEYS")
    const proved = { history: needed(history, "KEY_EVENTS"), checkpoint: needed(checkpoint, "CHECKPOINT") }
    await requireStatus(given, proved, keys, signingTime(given))
    return { value: true, detail: "the signed status names this head, these keys and this size of the log" }
  })
  await run.step("BUNDLE_SIGNATURE", async () => {
    const given = needed(bundle, "SHAPE")
    await requireBundleSignature(given, needed(service, "SERVICE_KEYS"), signingTime(given))
    return { value: true, detail: "digest and signature cover the whole bundle" }
  })
}

async function checkAge(
  run: Run<StepName>,
  { bundle, history, service, checkpoint }: Found,
  terms: Terms,
): Promise<void> {
  await run.step("TIMES", () => {
    const keys = needed(service, "SERVICE_KEYS")
    requireTimes(needed(bundle, "SHAPE"), [needed(history, "KEY_EVENTS"), ...keys.statements, ...keys.logs], terms.at)
    return { value: true, detail: "events, status and export follow one another" }
  })
  await run.step("AGE", () => {
    const { as_of: asOf, freshness } = needed(bundle, "SHAPE").status.payload
    const age = ageSeconds(asOf, terms.at)
    const isUnknown = freshness.status === "UNKNOWN"
    const { maxAgeSeconds } = terms
    const limit = maxAgeSeconds === null ? "; no limit was given" : `, at most ${maxAgeSeconds}`
    must(maxAgeSeconds === null || age <= maxAgeSeconds, "STALE", `Its status is ${age} s old${limit}.`)
    return {
      value: true,
      reasonCode: maxAgeSeconds === null ? "NO_LIMIT" : "OK",
      detail: `its status is ${age} s old${limit}${isUnknown ? LOST : ""}`,
    }
  })
  if (knowsNothing(terms)) return
  await run.step("HOLDER", () => {
    const compared = requireKnowledge(terms, needed(history, "KEY_EVENTS"), needed(checkpoint, "CHECKPOINT"))
    return { value: true, detail: compared.join("; ") }
  })
}

const LOST = "; it is UNKNOWN, because the service was restored from a backup and may have lost a newer event"

function signingTime({ status, exported_at }: AgentExportBundle): SigningTime {
  return { from: instant(status.payload.as_of), to: instant(exported_at) }
}

function historyOf(agentId: string, histories: readonly History[]): History {
  const found = histories.find((one) => one.agentId === agentId)
  if (!found) throw new TypeError("every service identity of the bundle was read")
  return found
}
