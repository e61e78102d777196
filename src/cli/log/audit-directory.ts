/** Audits a data directory: replays the log from its leaves, then compares all other stored data with it. */

import type { LongWork } from "../../base/long-work.ts"
import { sameBytes } from "../../core/bytes.ts"
import type { LogReplay } from "../../core/log-replay.ts"
import type { TreeNode } from "../../core/merkle-tree.ts"
import { sha256 } from "../../core/sha256.ts"
import { mapKeyOf } from "../../core/verifiable-map.ts"
import type { Store, Unit } from "../../store/engine/unit.ts"
import { agentHeadsAfter, mapBranchesAfter, mapEntriesAfter } from "../../store/log/log-pages.ts"
import { leafRange, nodeRange, readTreeHead, type TreeHead } from "../../store/log/transparency-log.ts"
import type { AuditResult, Difference } from "./audit-result.ts"

const LEAVES_AT_ONCE = 4096
const STEPS = 3

/** Returns true if every leaf was replayed, whatever else differs. */
export async function auditDirectory(
  store: Store,
  replay: LogReplay,
  result: AuditResult,
  work: LongWork,
): Promise<boolean> {
  const { size } = await store.read(readTreeHead)
  work.step({ what: "replaying the log", number: { at: 1, of: STEPS }, unit: "leaves", total: size })
  const early = await replayTo(store, replay, size, work)
  // Replay what was appended meanwhile in the same read transaction as the data it is compared with.
  const late = early ? { fault: early } : await store.read(() => comparedWithHead(replay, work))
  const ok = `${replay.size} leaves, each with the map root that follows from those before`
  if (!result.step("leaves", late.fault, ok) || late.fault) return false
  result.step("head", headDifference(late.head, replay), "size, root and map root are those of the leaves")
  result.step("map", late.map, `${replay.map.entryCount} entries and ${replay.map.branchCount} branches`)
  result.step("agents", late.agents, "the newest event of every agent is the one in the log")
  return true
}

type Compared =
  | { readonly fault: Difference }
  | {
      readonly fault: null
      readonly head: TreeHead
      readonly map: Difference | null
      readonly agents: Difference | null
    }

function* comparedWithHead(replay: LogReplay, work: LongWork): Unit<Compared> {
  const head = yield* readTreeHead()
  const fault = yield* replayRange(replay, head.size, work)
  if (fault) return { fault }
  const map = yield* mapDifference(replay, work)
  return { fault, head, map, agents: yield* agentsDifference(replay, work) }
}

/** Leaves never change, so they may be read in several transactions. Each one ends before the next, so writers are not blocked. */
async function replayTo(store: Store, replay: LogReplay, size: number, work: LongWork): Promise<Difference | null> {
  while (replay.size < size) {
    const end = Math.min(replay.size + LEAVES_AT_ONCE, size)
    const fault = await store.read(() => replayRange(replay, end, work))
    if (fault) return fault
  }
  return null
}

function* replayRange(replay: LogReplay, end: number, work: LongWork): Unit<Difference | null> {
  while (replay.size < end) {
    const start = replay.size
    const data = yield* leafRange(start, Math.min(start + LEAVES_AT_ONCE, end))
    if (data.length === 0) return { index: start, what: `leaf ${start} is missing` }
    const nodes: TreeNode[] = []
    for (const leaf of data) {
      const added = replay.add(leaf)
      if ("fault" in added) return added.fault
      nodes.push(...added.nodes)
    }
    const fault = yield* nodesDifference(nodes)
    if (fault) return fault
    work.done(replay.size)
  }
  return null
}

/** On each level, the nodes that a range of leaves completes are adjacent. */
function* nodesDifference(nodes: readonly TreeNode[]): Unit<Difference | null> {
  for (const [level, expected] of Map.groupBy(nodes, (node) => node.level)) {
    const start = expected[0]?.index ?? 0
    const stored = yield* nodeRange(level, start, start + expected.length)
    for (const [i, { index, hash }] of expected.entries()) {
      const found = stored[i]
      if (found && sameBytes(found, hash)) continue
      return { index: index * 2 ** level, what: `stored node ${index} of level ${level} is not the hash of its leaves` }
    }
  }
  return null
}

function headDifference(head: TreeHead, replay: LogReplay): Difference | null {
  if (!sameBytes(head.rootHash, replay.rootHash())) return { index: null, what: "the head has another root" }
  return sameBytes(head.mapRoot, replay.map.root()) ? null : { index: null, what: "the head has another map root" }
}

function* mapDifference({ map }: LogReplay, work: LongWork): Unit<Difference | null> {
  const total = map.entryCount + map.branchCount
  work.step({ what: "comparing the map", number: { at: 2, of: STEPS }, unit: "entries and branches", total })
  let [entries, branches] = [0, 0]
  for (let page = yield* mapEntriesAfter(null); page.length > 0; page = yield* mapEntriesAfter(page.at(-1) ?? null)) {
    for (const { mapKey, eventDigest, logIndex } of page) {
      const digest = map.digestOf(mapKey)
      if (digest && sameBytes(digest, eventDigest)) continue
      return { index: logIndex, what: "a stored map entry is not in the log" }
    }
    entries += page.length
    work.done(entries)
  }
  for (let page = yield* mapBranchesAfter(null); page.length > 0; page = yield* mapBranchesAfter(page.at(-1) ?? null)) {
    for (const { position, leftHash, rightHash } of page) {
      const branch = map.branchAt(position.subarray(1), position[0] ?? 0)
      if (branch && sameBytes(branch.left, leftHash) && sameBytes(branch.right, rightHash)) continue
      return { index: null, what: `the stored map branch ${Buffer.from(position).toString("hex")} is wrong` }
    }
    branches += page.length
    work.done(entries + branches)
  }
  return counted("map entries", entries, map.entryCount) ?? counted("map branches", branches, map.branchCount)
}

function* agentsDifference({ map }: LogReplay, work: LongWork): Unit<Difference | null> {
  work.step({ what: "comparing the agents", number: { at: 3, of: STEPS }, unit: "agents", total: map.entryCount })
  let agents = 0
  for (let page = yield* agentHeadsAfter(null); page.length > 0; page = yield* agentHeadsAfter(page.at(-1) ?? null)) {
    for (const { agentId, headEventDigest } of page) {
      const digest = map.digestOf(mapKeyOf(sha256, agentId))
      const logged = digest ? `sha256:${Buffer.from(digest).toString("hex")}` : "none"
      if (logged === headEventDigest) continue
      return { index: null, what: `the newest event of ${agentId} is ${headEventDigest}, in the log ${logged}` }
    }
    agents += page.length
    work.done(agents)
  }
  return counted("agents", agents, map.entryCount)
}

function counted(what: string, stored: number, logged: number): Difference | null {
  return stored === logged ? null : { index: null, what: `${stored} ${what} are stored, ${logged} follow from the log` }
}
