/**
 * The transparency log: an RFC 6962 tree over every key event and logged statement, and a map from agent to newest event. The unit that
 * accepts an event or statement also appends its leaf, or notes that it waits for one (`sequenced-log.ts`). An order makes the writers of all
 * processes append one after the other.
 */
import { and, between, eq, gte, lt, sql } from "drizzle-orm"
import { type StatementKind, statementMark, writeLeafData } from "../../core/leaf-data.ts"
import {
  appendLeaf,
  consistencyNodes,
  coveringNodes,
  foldNodes,
  HASH_BYTES,
  inclusionNodes,
  leafHash,
  type NodeId,
} from "../../core/merkle-tree.ts"
import { sha256 } from "../../core/sha256.ts"
import { mapKeyOf } from "../../core/verifiable-map.ts"
import { bind, bound, changed, first, inOrder, query, rows, type Unit, write } from "../engine/unit.ts"
import { hex, type MapEntry, mapEntry, mapSiblings, putMapEntry } from "./log-map.ts"

export interface TreeHead {
  readonly size: number
  readonly rootHash: Uint8Array
  readonly mapRoot: Uint8Array
}

export interface Head {
  readonly treeSize: number
  readonly frontier: Uint8Array
  readonly mapRoot: Uint8Array
}

const headRow = query((db, t) =>
  db.select({ treeSize: t.logHead.treeSize, frontier: t.logHead.frontier, mapRoot: t.logHead.mapRoot }).from(t.logHead),
)
const sizeOnly = query((db, t) => db.select({ treeSize: t.logHead.treeSize }).from(t.logHead))

const moveHead = query((db, t) =>
  db
    .update(t.logHead)
    .set({ treeSize: bound("after"), frontier: bound("frontier"), mapRoot: bound("mapRoot") })
    .where(eq(t.logHead.treeSize, bind("before")))
    .returning({ treeSize: t.logHead.treeSize }),
)

const insertLeaf = query((db, t) =>
  db
    .insert(t.logLeaf)
    .values({ logIndex: bind("logIndex"), data: bind("data") })
    .returning({ logIndex: t.logLeaf.logIndex }),
)

const insertLeaves = write((db, t, words) =>
  db.insert(t.logLeaf).select(sql`select ${words.integer(0)}, ${words.bytes(1)} from ${words.each(bind("leaves"))}`),
)

const insertNodes = query((db, t, words) =>
  db
    .insert(t.logNode)
    .select(sql`select ${words.integer(0)}, ${words.integer(1)}, ${words.bytes(2)} from ${words.each(bind("nodes"))}`)
    .returning({ level: t.logNode.level }),
)

const nodesAt = query((db, t, words) =>
  db
    .select()
    .from(t.logNode)
    .where(
      sql`(${t.logNode.level}, ${t.logNode.nodeIndex}) in (select ${words.integer(0)}, ${words.integer(1)} from ${words.each(bind("nodes"))})`,
    ),
)

const nodesBetween = query((db, t) =>
  db
    .select({ hash: t.logNode.hash })
    .from(t.logNode)
    .where(and(eq(t.logNode.level, bind("level")), between(t.logNode.nodeIndex, bind("start"), bind("last"))))
    .orderBy(t.logNode.nodeIndex),
)

const leavesBetween = query((db, t) =>
  db
    .select({ data: t.logLeaf.data })
    .from(t.logLeaf)
    .where(and(gte(t.logLeaf.logIndex, bind("start")), lt(t.logLeaf.logIndex, bind("end"))))
    .orderBy(t.logLeaf.logIndex),
)

const leavesIn = query((db, t, words) =>
  db
    .select()
    .from(t.logLeaf)
    .where(sql`${t.logLeaf.logIndex} in (select ${words.wholeInteger} from ${words.each(bind("indices"))})`),
)

/** Logs an event of an agent and makes it the agent's newest one in the map. Returns the index of its leaf. */
export function* appendKeyEvent(agentId: string, eventDigest: string): Unit<number> {
  yield* inOrder("log")
  const mapKey = mapKeyOf(sha256, agentId)
  const digest = bytesOf(eventDigest)
  const head = yield* currentHead()
  const mapRoot = yield* putMapEntry(head.mapRoot, mapKey, { eventDigest: digest, logIndex: head.treeSize })
  yield* append(head, writeLeafData({ subject: mapKey, digest, mapRoot }), mapRoot)
  return head.treeSize
}

/** Logs the digest of a signed document without a change to the map. The caller must know whether it is logged already. */
export function* appendStatement(kind: StatementKind, digest: string): Unit<number> {
  yield* inOrder("log")
  const head = yield* currentHead()
  yield* appendAfter(head, { kind, digest })
  return head.treeSize
}

/** The same after the head that the unit has read. */
export function* appendAfter(head: Head, { kind, digest }: Statement): Unit<void> {
  const { mapRoot } = head
  const subject = statementMark(sha256, kind)
  yield* append(head, writeLeafData({ subject, digest: bytesOf(digest), mapRoot }), mapRoot)
}

interface Statement {
  readonly kind: StatementKind
  /** Of a signed document. */
  readonly digest: string
}

/**
 * Gives each statement its leaf, in this order. The number of queries does not grow with their number, which is at least one. The caller holds an
 * order in which the log is written. Returns the index of the first leaf.
 */
export function* appendStatements(statements: readonly Statement[]): Unit<number> {
  const head = yield* currentHead()
  const { treeSize, mapRoot } = head
  const { frontier, leaves, nodes } = grownBy(head, statements)
  yield* changed(insertLeaves, { leaves: JSON.stringify(leaves) })
  yield* rows(insertNodes, { nodes: JSON.stringify(nodes) })
  yield* move(treeSize, { after: treeSize + leaves.length, frontier, mapRoot })
  return treeSize
}

export function* readTreeHead(): Unit<TreeHead> {
  const { treeSize, frontier, mapRoot } = yield* currentHead()
  return { size: treeSize, rootHash: foldNodes(sha256, hashesOf(frontier)), mapRoot }
}

export function* readTreeSize(): Unit<number> {
  return (yield* first(sizeOnly))?.treeSize ?? 0
}

/** Root of the tree of the first `size` leaves. `size` must not exceed the head's. */
export function* rootHashAt(size: number): Unit<Uint8Array> {
  return (yield* foldedFrom([coveringNodes(0, size)]))[0] ?? foldNodes(sha256, [])
}

/** Path from leaf to root. Throws a RangeError unless `index` < `size`. `size` must not exceed the head's. */
export function* inclusionPath(index: number, size: number): Unit<Uint8Array[]> {
  return yield* foldedFrom(inclusionNodes(index, size))
}

/** The paths of many leaves, read in one statement. Throws a RangeError unless each index < `size`. */
export function* inclusionPaths(indices: readonly number[], size: number): Unit<Uint8Array[][]> {
  const groups = indices.map((index) => inclusionNodes(index, size))
  const hashes = yield* foldedFrom(groups.flat())
  let at = 0
  return groups.map(({ length }) => {
    at += length
    return hashes.slice(at - length, at)
  })
}

/** Throws a RangeError unless `from` <= `to`. `to` must not exceed the head's size. */
export function* consistencyPath(from: number, to: number): Unit<Uint8Array[]> {
  return yield* foldedFrom(consistencyNodes(from, to))
}

interface MapProof extends MapEntry {
  readonly mapKey: Uint8Array
  /** Leaf to root, for the map root of the head read in the same unit. */
  readonly path: readonly Uint8Array[]
}

/** Null when the log has no event of that agent. */
export function* mapPath(agentId: string): Unit<MapProof | null> {
  const mapKey = mapKeyOf(sha256, agentId)
  const entry = yield* mapEntry(mapKey)
  return entry ? { ...entry, mapKey, path: yield* mapSiblings(mapKey) } : null
}

/** The 96 bytes of a leaf; null beyond the end. */
export function* leafData(index: number): Unit<Uint8Array | null> {
  return (yield* leafRange(index, index + 1))[0] ?? null
}

/** Data of leaves that are in the log, in the requested order. */
export function* leavesAt(indices: readonly number[]): Unit<Uint8Array[]> {
  const found = yield* rows(leavesIn, { indices: JSON.stringify(indices) })
  const byIndex = new Map(found.map(({ logIndex, data }) => [logIndex, data]))
  return indices.map((index) => {
    const data = byIndex.get(index)
    if (!data) throw new Error(`the log lacks leaf ${index}`)
    return data
  })
}

/** Data of the leaves from `start` to `end`, without `end`. */
export function* leafRange(start: number, end: number): Unit<Uint8Array[]> {
  return (yield* rows(leavesBetween, { start, end })).map(({ data }) => data)
}

/** Hashes of the perfect subtrees of one level from `start` to `end`, without `end`. */
export function* nodeRange(level: number, start: number, end: number): Unit<Uint8Array[]> {
  return (yield* rows(nodesBetween, { level, start, last: end - 1 })).map(({ hash }) => hash)
}

export function* currentHead(): Unit<Head> {
  const head = yield* first(headRow)
  if (!head) throw new Error("the log has no head")
  return head
}

function* append({ treeSize, frontier }: Head, data: Uint8Array, mapRoot: Uint8Array): Unit<void> {
  const grown = appendLeaf(sha256, treeSize, hashesOf(frontier), leafHash(sha256, data))
  yield* rows(insertLeaf, { logIndex: treeSize, data })
  yield* rows(insertNodes, { nodes: JSON.stringify(grown.nodes.map(nodeRow)) })
  yield* move(treeSize, { after: treeSize + 1, frontier: grown.frontier, mapRoot })
}

/** The row of a node, with hexadecimal bytes. */
type NodeRow = readonly [level: number, index: number, hash: string]

function nodeRow({ level, index, hash }: NodeId & { readonly hash: Uint8Array }): NodeRow {
  return [level, index, hex(hash)]
}

/** The rows of the leaves and nodes that these statements add to the tree of `head`, with hexadecimal bytes, and the frontier after them. */
function grownBy(head: Head, statements: readonly Statement[]) {
  const { treeSize, mapRoot } = head
  let frontier = hashesOf(head.frontier)
  const leaves: (readonly [index: number, data: string])[] = []
  const nodes: NodeRow[] = []
  for (const { kind, digest } of statements) {
    const index = treeSize + leaves.length
    const data = writeLeafData({ subject: statementMark(sha256, kind), digest: bytesOf(digest), mapRoot })
    const grown = appendLeaf(sha256, index, frontier, leafHash(sha256, data))
    frontier = [...grown.frontier]
    leaves.push([index, hex(data)])
    nodes.push(...grown.nodes.map(nodeRow))
  }
  return { frontier, leaves, nodes }
}

interface HeadAfter {
  readonly after: number
  readonly frontier: readonly Uint8Array[]
  readonly mapRoot: Uint8Array
}

function* move(before: number, { after, frontier, mapRoot }: HeadAfter): Unit<void> {
  const moved = yield* first(moveHead, { before, after, frontier: Buffer.concat(frontier), mapRoot })
  if (!moved) throw new Error("the head of the log moved inside the unit that appends to it")
}

/** One hash for each group of nodes, all read in one statement. */
function* foldedFrom(groups: readonly (readonly NodeId[])[]): Unit<Uint8Array[]> {
  const wanted = groups.flat().map(({ level, index }) => [level, index])
  if (wanted.length === 0) return []
  const found = yield* rows(nodesAt, { nodes: JSON.stringify(wanted) })
  const byPlace = new Map(found.map(({ level, nodeIndex, hash }) => [`${level}/${nodeIndex}`, hash]))
  return groups.map((nodes) =>
    foldNodes(
      sha256,
      nodes.map(({ level, index }) => {
        const hash = byPlace.get(`${level}/${index}`)
        if (!hash) throw new Error(`the log lacks node ${index} of level ${level}`)
        return hash
      }),
    ),
  )
}

function hashesOf(frontier: Uint8Array): Uint8Array[] {
  return Array.from({ length: frontier.length / HASH_BYTES }, (_, i) =>
    frontier.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  )
}

function bytesOf(digest: string): Uint8Array {
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new TypeError("not a digest")
  return new Uint8Array(Buffer.from(digest.slice("sha256:".length), "hex"))
}
