/**
 * The verifiable map in the database. The two neighbours of a key give the depth of its entry. So an update reads its path in two
 * statements and writes it in two, for any number of agents.
 */
import { eq, sql } from "drizzle-orm"
import { sha256 } from "../../core/sha256.ts"
import { EMPTY_MAP, mapBranchHash, mapEntryHash, mapKeyBit, sharedBits } from "../../core/verifiable-map.ts"
import { bytesOrNull } from "../engine/expressions.ts"
import { bind, first, query, rows, type Unit } from "../engine/unit.ts"

export interface MapEntry {
  readonly eventDigest: Uint8Array
  /** Log index of the event's leaf. */
  readonly logIndex: number
}

const neighbours = query((db, t) =>
  db
    .select({
      before: bytesOrNull(
        sql`(select ${t.logMapEntry.mapKey} from ${t.logMapEntry} where ${t.logMapEntry.mapKey} < ${bind("mapKey")} order by ${t.logMapEntry.mapKey} desc limit 1)`,
      ),
      after: bytesOrNull(
        sql`(select ${t.logMapEntry.mapKey} from ${t.logMapEntry} where ${t.logMapEntry.mapKey} > ${bind("mapKey")} order by ${t.logMapEntry.mapKey} limit 1)`,
      ),
    })
    .from(t.logHead),
)

const branchesAt = query((db, t, words) =>
  db
    .select()
    .from(t.logMapBranch)
    .where(sql`${t.logMapBranch.position} in (select ${words.wholeBytes} from ${words.each(bind("positions"))})`)
    // The depth is a position's first byte.
    .orderBy(t.logMapBranch.position),
)

const putBranches = query((db, t, words) =>
  db
    .insert(t.logMapBranch)
    .select(
      sql`select ${words.bytes(0)}, ${words.bytes(1)}, ${words.bytes(2)} from ${words.each(bind("branches"))} where true`,
    )
    .onConflictDoUpdate({
      target: t.logMapBranch.position,
      set: { leftHash: sql`excluded.left_hash`, rightHash: sql`excluded.right_hash` },
    })
    .returning({ position: t.logMapBranch.position }),
)

const entryOf = query((db, t) =>
  db
    .select({ eventDigest: t.logMapEntry.eventDigest, logIndex: t.logMapEntry.logIndex })
    .from(t.logMapEntry)
    .where(eq(t.logMapEntry.mapKey, bind("mapKey"))),
)

const putEntry = query((db, t) =>
  db
    .insert(t.logMapEntry)
    .values({ mapKey: bind("mapKey"), eventDigest: bind("eventDigest"), logIndex: bind("logIndex") })
    .onConflictDoUpdate({
      target: t.logMapEntry.mapKey,
      set: { eventDigest: sql`excluded.event_digest`, logIndex: sql`excluded.log_index` },
    })
    .returning({ logIndex: t.logMapEntry.logIndex }),
)

export function* mapEntry(mapKey: Uint8Array): Unit<MapEntry | null> {
  return (yield* first(entryOf, { mapKey })) ?? null
}

/** Sibling hashes from the key's entry up to the root. The key must have an entry. */
export function* mapSiblings(mapKey: Uint8Array): Unit<Uint8Array[]> {
  const depth = yield* depthOf(mapKey)
  const branches = yield* branchesAbove(mapKey, depth)
  if (branches.length !== depth) throw new Error("the map lacks a branch above an entry")
  return branches.map((branch, level) => sidesOf(branch, mapKey, level).beside).reverse()
}

/** Sets the entry of a key and every branch above it. `mapRoot` is the root before; returns the new root. */
export function* putMapEntry(mapRoot: Uint8Array, mapKey: Uint8Array, entry: MapEntry): Unit<Uint8Array> {
  const depth = yield* depthOf(mapKey)
  const known = yield* branchesAbove(mapKey, depth)
  const siblings = known.map((branch, level) => sidesOf(branch, mapKey, level).beside)
  if (known.length < depth) {
    // New branches separate this key from the single entry in their place; that entry moves to the deepest branch.
    const above = known.at(-1)
    const sibling = above ? sidesOf(above, mapKey, known.length - 1).below : mapRoot
    while (siblings.length < depth - 1) siblings.push(EMPTY_MAP)
    siblings.push(sibling)
  }
  const branches: (readonly [position: string, left: string, right: string])[] = []
  let hash = mapEntryHash(sha256, mapKey, entry.eventDigest)
  for (const [level, sibling] of [...siblings.entries()].reverse()) {
    const [left, right] = mapKeyBit(mapKey, level) === 1 ? [sibling, hash] : [hash, sibling]
    branches.push([positionOf(mapKey, level), hex(left), hex(right)])
    hash = mapBranchHash(sha256, left, right)
  }
  if (branches.length > 0) yield* rows(putBranches, { branches: JSON.stringify(branches) })
  yield* rows(putEntry, { mapKey, ...entry })
  return hash
}

interface Branch {
  readonly leftHash: Uint8Array
  readonly rightHash: Uint8Array
}

/** A branch's hash on the key's side, and its sibling hash. */
function sidesOf(
  { leftHash, rightHash }: Branch,
  mapKey: Uint8Array,
  level: number,
): { readonly below: Uint8Array; readonly beside: Uint8Array } {
  return mapKeyBit(mapKey, level) === 1
    ? { below: rightHash, beside: leftHash }
    : { below: leftHash, beside: rightHash }
}

/** How many branches are above the key's entry once it is in the map. */
function* depthOf(mapKey: Uint8Array): Unit<number> {
  const found = yield* first(neighbours, { mapKey })
  const shared = [found?.before, found?.after].map((other) => (other ? sharedBits(other, mapKey) + 1 : 0))
  return Math.max(...shared)
}

/** Existing branches on the key's path from the root to `depth`. INVARIANT: they have no gap. */
function* branchesAbove(mapKey: Uint8Array, depth: number): Unit<Branch[]> {
  if (depth === 0) return []
  const positions = Array.from({ length: depth }, (_, level) => positionOf(mapKey, level))
  const found = yield* rows(branchesAt, { positions: JSON.stringify(positions) })
  if (found.some(({ position }, level) => position[0] !== level)) throw new Error("the map lacks a branch inside it")
  return found
}

/** Hex of one byte of depth and the key's first `depth` bits, the last byte filled with zeros. */
function positionOf(mapKey: Uint8Array, depth: number): string {
  const position = new Uint8Array(1 + Math.ceil(depth / 8))
  position[0] = depth
  position.set(mapKey.subarray(0, position.length - 1), 1)
  if (depth % 8 !== 0) position[position.length - 1]! &= 0xff << (8 - (depth % 8))
  return hex(position)
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")
}
