/**
 * The name of the transparency log: the first line of every checkpoint and the name of its key. `init` fixes it, because checkpoints under
 * another name belong to another log. Only an operator can change it, and must give a reason.
 */
import { encodeBase64 } from "../../core/bytes.ts"
import type { Unit } from "../engine/unit.ts"
import { insertMeta, metaValue, putMeta } from "../meta.ts"
import { readTreeHead, type TreeHead } from "./transparency-log.ts"

/** An earlier name of the log, and the log's size when the name was replaced. */
export interface EarlierOrigin {
  readonly origin: string
  readonly tree_size: number
  /** 32 bytes, base64. */
  readonly root_hash: string
  /** RFC 3339. */
  readonly replaced_at: string
  readonly why: string
}

const originOf = (host: string, number: number) => `${host}/agent-id/log/${number}`

/** Number of this name in the sequence of the log's names, from one. */
function numberOf(origin: string): number {
  return Number(/\/agent-id\/log\/([1-9]\d{0,8})$/.exec(origin)?.[1] ?? 1)
}

/** The host in the name, with its port if it has one. */
export function hostOfOrigin(origin: string): string {
  return origin.slice(0, origin.indexOf("/"))
}

/** The log's name. A log without one is named after `host`, permanently. */
export function* fixedLogOrigin(host: string): Unit<string> {
  const origin = originOf(host, 1)
  return (yield* insertMeta("log_origin", origin)) ? origin : ((yield* metaValue("log_origin")) ?? origin)
}

/** Null in a directory of an older release on which no service has run. */
export function logOrigin(): Unit<string | null> {
  return metaValue("log_origin")
}

interface OriginChange {
  readonly origin: string
  readonly before: EarlierOrigin
  /** Of the log at the change. */
  readonly head: TreeHead
}

/** Gives the log its next name and keeps the previous one. Returns null when the log has no name yet. */
export function* changeLogOrigin(host: string, reason: { why: string; at: string }): Unit<OriginChange | null> {
  const old = yield* logOrigin()
  if (old === null) return null
  const head = yield* readTreeHead()
  const before: EarlierOrigin = {
    origin: old,
    tree_size: head.size,
    root_hash: encodeBase64(head.rootHash),
    replaced_at: reason.at,
    why: reason.why,
  }
  const origin = originOf(host, numberOf(old) + 1)
  yield* putMeta(`log_origin_${numberOf(old)}`, JSON.stringify(before))
  yield* putMeta("log_origin", origin)
  return { origin, before, head }
}

/** Every earlier name, oldest first. */
export function* earlierOrigins(): Unit<EarlierOrigin[]> {
  const current = yield* logOrigin()
  const earlier: EarlierOrigin[] = []
  for (let number = 1; current !== null && number < numberOf(current); number++) {
    const kept = yield* metaValue(`log_origin_${number}`)
    if (kept !== null) earlier.push(JSON.parse(kept) as EarlierOrigin)
  }
  return earlier
}
