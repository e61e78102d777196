/** Reads strictly what the caller of the verifier pins, knows and allows. A misread option would silently weaken a verdict. */
import { readVerifierKey, type VerifierKey } from "../../core/checkpoint.ts"
import { type JsonValue, memberOf, readJson, StrictJsonError } from "../../core/strict-json.ts"
import { parseInstant } from "../../core/time.ts"
import { sha256 } from "../portable/encoding.ts"
import { type HolderKnowledge, type KnownEvent, type RememberedCheckpoint, readRemembered } from "./identity/holder.ts"

export interface VerifyOptions {
  /** Judge at this RFC 3339 time instead of now. */
  readonly at?: string
  /** C2SP verifier key of the log, obtained separately from the bundle. Without it the verdict is CONSISTENT_ONLY at best. */
  readonly logKey?: string
  /** A status older than this many seconds is STALE. */
  readonly maxAge?: number
  /** An earlier checkpoint: the text of a signed note, or JSON with `checkpoint` and `consistency_path`, or an earlier bundle. */
  readonly since?: string
  /** Digest of an event that the holder knows. */
  readonly head?: string
  readonly minSequence?: number
  /** JSON of an event receipt, or of the result of a prove call, that the holder kept. */
  readonly receipt?: string
  /** Judge an identity without an ACTIVE operational key as INVALID. */
  readonly requireActive?: boolean
  /** Accept bytes that are not canonical, such as a pretty-printed copy. */
  readonly reformatted?: boolean
}

export interface Terms extends HolderKnowledge {
  readonly at: number
  /** True if `at` was given: the verdict for a past time does not apply to the present. */
  readonly atGiven: boolean
  readonly logKey: VerifierKey | null
  readonly maxAgeSeconds: number | null
  readonly reformatted: boolean
}

/** An unreadable or unknown option. A misspelt `maxAge` would otherwise allow any age. */
export class OptionError extends Error {
  constructor(
    readonly option: string,
    message: string,
  ) {
    super(message)
  }
}

const TYPES: Readonly<Record<keyof VerifyOptions, "string" | "number" | "boolean">> = {
  at: "string",
  logKey: "string",
  maxAge: "number",
  since: "string",
  head: "string",
  minSequence: "number",
  receipt: "string",
  requireActive: "boolean",
  reformatted: "boolean",
}

export function settle(options: VerifyOptions): Terms {
  for (const [name, value] of Object.entries(options)) {
    const type = Object.hasOwn(TYPES, name) ? TYPES[name as keyof VerifyOptions] : null
    const option = name as keyof VerifyOptions
    if (type === null) throw new OptionError(option, `is no option; the options are ${Object.keys(TYPES).join(", ")}`)
    if (value !== undefined && typeof value !== type) throw new OptionError(option, `takes a ${type}`)
  }
  return {
    at: options.at === undefined ? Date.now() : timeOf(options.at),
    atGiven: options.at !== undefined,
    logKey: options.logKey === undefined ? null : verifierKeyOf(options.logKey),
    maxAgeSeconds: countOf("maxAge", options.maxAge),
    since: options.since === undefined ? null : rememberedOf(options.since),
    head: options.head === undefined ? null : digestOf(options.head),
    minSequence: countOf("minSequence", options.minSequence),
    receipt: options.receipt === undefined ? null : receiptOf(options.receipt),
    requireActive: options.requireActive ?? false,
    reformatted: options.reformatted ?? false,
  }
}

export function timeOf(text: string): number {
  const at = parseInstant(text)
  if (at === null) throw new OptionError("at", "takes an RFC 3339 time, e.g. 2026-11-20T10:00:00Z")
  return at
}

function verifierKeyOf(text: string): VerifierKey {
  const key = readVerifierKey(sha256, text.trim())
  if (!key) throw new OptionError("logKey", "takes a C2SP verifier key, e.g. svc.example/agent-id/log/1+1a2b3c4d+AW…")
  return key
}

function countOf(option: "maxAge" | "minSequence", given: number | undefined): number | null {
  if (given === undefined) return null
  if (!Number.isSafeInteger(given) || given < 0) throw new OptionError(option, "takes a whole number, 0 or more")
  return given
}

const DIGEST = /^sha256:[0-9a-f]{64}$/

function digestOf(text: string): string {
  if (!DIGEST.test(text)) throw new OptionError("head", "takes an event digest, sha256: and 64 hex characters")
  return text
}

function rememberedOf(text: string): RememberedCheckpoint {
  const json = text.trimStart().startsWith("{") ? jsonOf("since", text) : null
  const note =
    json === null ? text : (memberOf(json, "checkpoint") ?? memberOf(memberOf(json, "transparency"), "checkpoint"))
  const path = memberOf(json, "consistency_path")
  const checkpoint = typeof note === "string" ? readRemembered(note) : null
  const hashes =
    path === undefined ? null : Array.isArray(path) && path.every((hash) => typeof hash === "string") ? path : undefined
  if (!checkpoint || hashes === undefined) {
    throw new OptionError(
      "since",
      "takes a checkpoint note, an earlier bundle, or JSON with checkpoint and consistency_path",
    )
  }
  return { checkpoint, consistencyPath: hashes as string[] | null, newest: newestOf(json) }
}

/** Returns the newest event of an earlier bundle, or null for anything else. */
function newestOf(json: JsonValue | null): KnownEvent | null {
  const history = memberOf(json ?? undefined, "key_event_log")
  if (history === undefined) return null
  const newest = Array.isArray(history) ? knownEvent(memberOf(history.at(-1), "receipt")) : null
  if (!newest) throw new OptionError("since", "is no earlier bundle: its last event has no receipt")
  return newest
}

function receiptOf(text: string): KnownEvent {
  const json = jsonOf("receipt", text)
  const known = knownEvent(memberOf(json, "receipt") ?? json)
  if (!known) throw new OptionError("receipt", "takes an event receipt, or the result of a prove call that holds one")
  return known
}

function knownEvent(receipt: JsonValue | undefined): KnownEvent | null {
  const payload = memberOf(receipt, "payload")
  const text = (name: string) => {
    const value = memberOf(payload, name)
    return typeof value === "string" ? value : null
  }
  const count = (name: string) => {
    const value = memberOf(payload, name)
    return typeof value === "number" && Number.isSafeInteger(value) ? value : null
  }
  const [agent_id, event_digest, accepted_at] = [text("agent_id"), text("event_digest"), text("accepted_at")]
  const [sequence, log_index] = [count("sequence"), count("log_index")]
  if (agent_id === null || event_digest === null || accepted_at === null) return null
  return sequence === null || log_index === null ? null : { agent_id, sequence, event_digest, accepted_at, log_index }
}

export function jsonOf(option: "since" | "receipt" | "issuer", text: string): JsonValue {
  try {
    return readJson(new TextEncoder().encode(text))
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    throw new OptionError(option, `is not strict JSON: ${error.message}`)
  }
}
