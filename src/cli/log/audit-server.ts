/** Audits a service over its public tiles: one tile in memory at a time, a few requests in flight, everything limited. */
import { Value } from "@sinclair/typebox/value"
import { LogDescriptor } from "../../../schemas/agent-id/log.ts"
import { answered, type Send } from "../../agent/service-call.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import type { LongWork } from "../../base/long-work.ts"
import { sameBytes } from "../../core/bytes.ts"
import {
  type Checkpoint,
  NOTE_LENGTH_MAX,
  openCheckpoint,
  readVerifierKey,
  type VerifierKey,
} from "../../core/checkpoint.ts"
import { LEAF_DATA_BYTES } from "../../core/leaf-data.ts"
import type { LogReplay } from "../../core/log-replay.ts"
import { readEntries, TILE_WIDTH, type Tile, writeTilePath } from "../../core/log-tiles.ts"
import { sha256 } from "../../core/sha256.ts"
import { nativeNoteCrypto } from "../../core/sign-checkpoint.ts"
import { jsonOrUndefined } from "../../core/strict-json.ts"
import type { EarlierOrigin } from "../../store/log/log-origin.ts"
import type { AuditResult, Difference } from "./audit-result.ts"

const TILE_BYTES_MAX = TILE_WIDTH * (2 + LEAF_DATA_BYTES)
const DESCRIPTOR_BYTES_MAX = 64 * 1024
const TIMEOUT_MS = 30_000
const TILES_ON_THE_WAY = 4
/** Retries for one document if the server limits the rate. Each wait is as long as the server requests, but at most a minute. */
const TRIES_MAX = 5
const WAIT_SECONDS_MAX = 60

export interface ServerCalls {
  readonly work: LongWork
  /** Origin of the server. */
  readonly server: string
  readonly send: Send
  readonly wait: (milliseconds: number) => Promise<unknown>
}

interface DescribedLog {
  /** That the server itself names; a pinned key is better. */
  readonly keys: readonly VerifierKey[]
  /** Earlier names, oldest first. The audit compares each with the leaves. */
  readonly earlier: readonly EarlierOrigin[]
}

/** Throws CommandError (4) if the descriptor cannot be read. */
export async function serverLog(calls: ServerCalls): Promise<DescribedLog> {
  const { server } = calls
  const bytes = await fetched(calls, "", DESCRIPTOR_BYTES_MAX)
  const descriptor = jsonOrUndefined(bytes)
  if (!Value.Check(LogDescriptor, descriptor)) {
    throw new CommandError(EXIT.NOT_CHECKED, `${server} does not describe a log that this version knows`)
  }
  return {
    keys: descriptor.verifier_keys.flatMap((text) => readVerifierKey(sha256, text) ?? []),
    earlier: descriptor.earlier_origins ?? [],
  }
}

/** Returns the server's current note as received. */
export async function serverNote(calls: ServerCalls): Promise<string> {
  const bytes = await fetched(calls, "/checkpoint", 4 * NOTE_LENGTH_MAX)
  return new TextDecoder().decode(bytes)
}

/** Opens a note and adds the result; returns null if it does not open. `name` is the name of the check. */
export function openInto(
  result: AuditResult,
  name: string,
  note: string,
  keys: readonly VerifierKey[],
): Checkpoint | null {
  const opened = openCheckpoint(note, keys, nativeNoteCrypto)
  if (!("fault" in opened)) {
    result.step(name, null, `${opened.size} leaves of ${opened.origin}, signature verified`)
    return opened
  }
  if (opened.fault === "NOTE_NOT_SIGNED_BY_KNOWN_KEY") {
    result.report.unchecked(name, "none of the given keys signed it; pin the right one with --log-key")
  } else result.step(name, { index: null, what: opened.fault }, "")
  return null
}

/** Returns true if every leaf was replayed, whatever else differs. */
export async function auditServer(
  calls: ServerCalls,
  { size, rootHash }: Checkpoint,
  replay: LogReplay,
  result: AuditResult,
): Promise<boolean> {
  const fault = await replayTiles(calls, size, replay)
  const ok = `${size} leaves, each with the map root that follows from those before`
  if (!result.step("leaves", fault, ok)) return false
  const other = sameBytes(replay.rootHash(), rootHash) ? null : "the leaves do not have the signed root"
  result.step("root", other === null ? null : { index: null, what: other }, "the signed root is that of the leaves")
  return true
}

async function replayTiles(calls: ServerCalls, size: number, replay: LogReplay): Promise<Difference | null> {
  const { work } = calls
  work.step({ what: "reading and replaying the log", unit: "leaves", total: size })
  const count = Math.ceil(size / TILE_WIDTH)
  const coming: Promise<Uint8Array>[] = []
  for (let next = 0; replay.size < size; ) {
    for (; next < count && coming.length < TILES_ON_THE_WAY; next++) {
      const tile = fetchedTile(calls, {
        level: "entries",
        index: next,
        width: Math.min(TILE_WIDTH, size - next * TILE_WIDTH),
      })
      // Its failure is reported in order, not as an unhandled rejection.
      tile.catch(() => {})
      coming.push(tile)
    }
    const width = Math.min(TILE_WIDTH, size - replay.size)
    const entries = readEntries((await coming.shift()) ?? new Uint8Array(0), width)
    if (!entries)
      return { index: replay.size, what: `the entries from leaf ${replay.size} on are not a tile of width ${width}` }
    for (const entry of entries) {
      const added = replay.add(entry)
      if ("fault" in added) return added.fault
    }
    work.done(replay.size)
  }
  return null
}

function fetchedTile(calls: ServerCalls, tile: Tile): Promise<Uint8Array> {
  return fetched(calls, `/tile/${writeTilePath(tile)}`, TILE_BYTES_MAX)
}

/** `path`: under that of the log. */
async function fetched({ server, send, wait }: ServerCalls, path: string, bytesMax: number): Promise<Uint8Array> {
  const url = `${server}/v1/agent-id/log${path}`
  const { host, pathname } = new URL(url)
  for (let tries = 1; ; tries++) {
    const request = new Request(url, { redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) })
    const { status, headers, bytes } = await answered(send, request, bytesMax)
    if (status === 200) return bytes
    if (status !== 429 || tries === TRIES_MAX) {
      throw new CommandError(EXIT.NOT_CHECKED, `${host} answered ${status} to ${pathname}`)
    }
    const seconds = Number(headers.get("retry-after") ?? "1")
    await wait(1000 * Math.min(WAIT_SECONDS_MAX, seconds > 0 ? seconds : 1))
  }
}
