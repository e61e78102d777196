import { expect, test } from "bun:test"
import fc from "fast-check"
import { type LeafData, statementMark, writeLeafData } from "../../src/core/leaf-data.ts"
import { LogReplay } from "../../src/core/log-replay.ts"
import { sha256 } from "../../src/core/sha256.ts"
import { runs } from "../fixtures/long.ts"
import { type Entry, mapHash, sha, treeHash } from "../fixtures/reference-log.ts"

/** Leaves of a log with one entry for each of `agents` in turn; -1 is a statement. */
function history(agents: readonly number[]): Uint8Array[] {
  const entries = new Map<number, Entry>()
  return agents.map((agent, i) => {
    const digest = sha(Buffer.from(`event ${i}`))
    const key = sha(Buffer.from(`agent ${agent}`))
    if (agent >= 0) entries.set(agent, { key, digest })
    const subject = agent >= 0 ? key : statementMark(sha256, i % 2 === 0 ? "ARTIFACT" : "CAPSULE")
    const leaf: LeafData = { subject, digest, mapRoot: mapHash([...entries.values()]) }
    return writeLeafData(leaf)
  })
}

const agents = fc.array(fc.integer({ min: -1, max: 6 }), { minLength: 1, maxLength: 40 })

test("the replay of any honest log gives the defined tree, map and requested roots", () => {
  fc.assert(
    fc.property(agents, fc.nat(), (acting, ask) => {
      const leaves = history(acting)
      const size = ask % (leaves.length + 1)
      const replay = new LogReplay(sha256, [size])
      for (const leaf of leaves) expect(replay.add(leaf)).toHaveProperty("nodes")
      expect(replay.rootHash()).toEqual(treeHash(leaves))
      expect(replay.rootAt(size)).toEqual(treeHash(leaves.slice(0, size)))
      expect(replay.rootAt(leaves.length + 1)).toBeNull()
    }),
    { numRuns: runs(100) },
  )
})

test("a changed byte in any leaf stops the replay at that leaf", () => {
  fc.assert(
    fc.property(agents, fc.nat(), fc.nat(95), (acting, where, byte) => {
      const leaves = history(acting)
      const at = where % leaves.length
      const isStatement = acting[at] === -1
      // A statement's own digest is in no map, so only the tree's root shows that it was changed.
      fc.pre(!isStatement || byte >= 64)
      const changed = leaves.with(at, leaves[at]!.with(byte, leaves[at]![byte]! ^ 1))
      const replay = new LogReplay(sha256)
      const faults = changed.flatMap((leaf) => {
        const added = replay.add(leaf)
        return "fault" in added ? [added.fault.index] : []
      })
      expect(faults[0]).toBe(at)
    }),
    { numRuns: runs(200) },
  )
})

test("an earlier event that is logged again stops the replay, although every map root follows from the leaves", () => {
  const events = ["enrolment", "rotation", "revocation"].map((name) => sha(Buffer.from(name)))
  const key = sha(Buffer.from("agent"))
  const [enrolment, rotation] = events as [Buffer, Buffer]
  for (const again of [enrolment, rotation]) {
    const replay = new LogReplay(sha256)
    const added = [...events, again].map((digest) =>
      replay.add(writeLeafData({ subject: key, digest, mapRoot: mapHash([{ key, digest }]) })),
    )
    expect(added.slice(0, 3).every((leaf) => "nodes" in leaf)).toBe(true)
    expect(added[3]).toEqual({
      fault: { index: 3, what: "leaf 3 logs an event again: an identity is taken back to an earlier state" },
    })
  }
})

test("a leaf of another length stops the replay", () => {
  const replay = new LogReplay(sha256)
  expect(replay.add(new Uint8Array(95))).toEqual({ fault: { index: 0, what: "leaf 0 has 95 bytes, not 96" } })
})
