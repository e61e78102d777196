import { describe, expect } from "bun:test"
import { readLeafData, statementMark } from "../../../src/core/leaf-data.ts"
import { leafHash, verifyConsistency, verifyInclusion } from "../../../src/core/merkle-tree.ts"
import { sha256 } from "../../../src/core/sha256.ts"
import { mapKeyOf, verifyMapPath } from "../../../src/core/verifiable-map.ts"
import type { Unit } from "../../../src/store/engine/unit.ts"
import {
  appendKeyEvent,
  appendStatement,
  consistencyPath,
  inclusionPath,
  leafData,
  leafRange,
  mapPath,
  nodeRange,
  readTreeHead,
  readTreeSize,
  rootHashAt,
} from "../../../src/store/log/transparency-log.ts"
import { newStore } from "../../fixtures/new-store.ts"
import { type Entry, mapHash, mapPathOf, sha, treeHash } from "../../fixtures/reference-log.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const plain = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes)
const digest = (name: string) => `sha256:${Buffer.from(sha(Buffer.from(name))).toString("hex")}`
const rawDigest = (name: string) => sha(Buffer.from(name))

test("an empty log has the root of no leaves and an empty map", async () => {
  await using bench = await newStore()
  const head = await bench.store.read(readTreeHead)
  expect({ ...head, mapRoot: plain(head.mapRoot) }).toEqual({ size: 0, rootHash: sha(), mapRoot: new Uint8Array(32) })
  expect(await bench.store.read(() => leafData(0))).toBeNull()
  expect(await bench.store.read(() => mapPath("svc:agent:nobody"))).toBeNull()
  expect(await bench.store.read(() => rootHashAt(0))).toEqual(sha())
})

describe("forty appends of events and statements", () => {
  /** Agents 0 to 6 with several events each, and an artifact or capsule after every third event. */
  const steps = Array.from({ length: 40 }, (_, i) => ({ name: `event ${i}`, agent: `svc:agent:${i % 7}`, i }))

  async function filled() {
    const bench = await newStore()
    const leaves: Uint8Array[] = []
    const entries = new Map<string, Entry>()
    for (const { name, agent, i } of steps) {
      const kind = i % 6 === 2 ? "ARTIFACT" : i % 6 === 5 ? "CAPSULE" : null
      const index = await bench.store.run(() =>
        kind ? appendStatement(kind, digest(name)) : appendKeyEvent(agent, digest(name)),
      )
      expect(index).toBe(i)
      const key = sha(Buffer.from(`SVC-MAP-KEY-V1\n${agent}`))
      if (!kind) entries.set(agent, { key, digest: rawDigest(name) })
      const subject = kind ? sha(Buffer.from(`SVC-${kind}-LEAF-V1\n`)) : key
      leaves.push(new Uint8Array(Buffer.concat([subject, rawDigest(name), mapHash([...entries.values()])])))
    }
    return { ...bench, leaves, entries, [Symbol.asyncDispose]: bench[Symbol.asyncDispose] }
  }

  test("give exactly the leaves, roots and map of the definition", async () => {
    await using log = await filled()
    const head = await log.store.read(readTreeHead)
    expect(head.size).toBe(40)
    expect(plain(head.rootHash)).toEqual(treeHash(log.leaves))
    expect(plain(head.mapRoot)).toEqual(mapHash([...log.entries.values()]))
    expect((await log.store.read(() => leafRange(0, 100))).map(plain)).toEqual(log.leaves)
    expect(await log.store.read(readTreeSize)).toBe(40)
    for (let size = 0; size <= 40; size++) {
      expect(plain(await log.store.read(() => rootHashAt(size)))).toEqual(treeHash(log.leaves.slice(0, size)))
    }
    const last = readLeafData(log.leaves[39]!)!
    expect(last.subject).toEqual(sha(Buffer.from("SVC-MAP-KEY-V1\nsvc:agent:4")))
    expect(readLeafData(log.leaves[5]!)!.subject).toEqual(statementMark(sha256, "CAPSULE"))
  })

  test("have a proof for every leaf at every size and for every pair of sizes", async () => {
    await using log = await filled()
    await log.store.read(function* (): Unit<void> {
      for (let size = 1; size <= 40; size++) {
        const rootHash = treeHash(log.leaves.slice(0, size))
        for (let index = 0; index < size; index++) {
          const path = yield* inclusionPath(index, size)
          const hash = leafHash(sha256, log.leaves[index]!)
          expect(verifyInclusion(sha256, { index, size, leafHash: hash, path, rootHash })).toBe(true)
        }
      }
    })
    for (let to = 1; to <= 40; to++) {
      for (let from = 0; from <= to; from++) {
        const path = await log.store.read(() => consistencyPath(from, to))
        const [fromRootHash, toRootHash] = [from, to].map((size) => treeHash(log.leaves.slice(0, size)))
        const proof = { from, to, fromRootHash: fromRootHash!, toRootHash: toRootHash!, path }
        expect(verifyConsistency(sha256, proof)).toBe(true)
      }
    }
  })

  test("have a proof of each agent's newest event under the head's map root", async () => {
    await using log = await filled()
    const { mapRoot } = await log.store.read(readTreeHead)
    const all = [...log.entries.values()]
    for (const [agent, { key, digest }] of log.entries) {
      const proof = await log.store.read(() => mapPath(agent))
      expect(proof?.path.map(plain)).toEqual(mapPathOf(all, key))
      expect(plain(proof!.mapKey)).toEqual(mapKeyOf(sha256, agent))
      expect(plain(log.leaves[proof!.logIndex]!.slice(32, 64))).toEqual(plain(proof!.eventDigest))
      expect(verifyMapPath(sha256, { key, digest, path: proof!.path, root: mapRoot })).toBe(true)
    }
  })

  test("store each perfect subtree once, for tiles", async () => {
    await using log = await filled()
    expect((await log.store.read(() => nodeRange(0, 8, 11))).map(plain)).toEqual(
      log.leaves.slice(8, 11).map((data) => treeHash([data])),
    )
    expect((await log.store.read(() => nodeRange(3, 0, 256))).map(plain)).toEqual(
      [0, 8, 16, 24, 32].map((start) => treeHash(log.leaves.slice(start, start + 8))),
    )
  })
})

test("an append takes the same few statements with one agent and with hundreds", async () => {
  await using bench = await newStore()
  const statements = async (agent: string) => {
    let count = 0
    await bench.store.run(function* (): Unit<number> {
      const unit = appendKeyEvent(agent, digest(agent))
      let step = unit.next()
      while (!step.done) {
        if (step.value.order === undefined) count++
        step = unit.next(yield step.value)
      }
      return step.value
    })
    return count
  }
  await statements("svc:agent:a")
  const few = await statements("svc:agent:b")
  for (let i = 0; i < 300; i++) await statements(`svc:agent:${i}`)
  expect(await statements("svc:agent:z")).toBe(few)
  expect(few).toBeLessThanOrEqual(8)
})

test("a unit that fails after an append stores no leaf and no node, and keeps the old map", async () => {
  await using bench = await newStore()
  await bench.store.run(() => appendKeyEvent("svc:agent:a", digest("a")))
  const before = await bench.store.read(readTreeHead)
  const failing = bench.store.run(function* (): Unit<void> {
    yield* appendKeyEvent("svc:agent:b", digest("b"))
    throw new Error("refused later")
  })
  await expect(failing).rejects.toThrow("refused later")
  expect(await bench.store.read(readTreeHead)).toEqual(before)
  expect(await bench.store.read(() => leafData(1))).toBeNull()
  expect(await bench.store.read(() => mapPath("svc:agent:b"))).toBeNull()
  expect(await bench.store.run(() => appendKeyEvent("svc:agent:c", digest("c")))).toBe(1)
})

test("stores of two processes append one after the other", async () => {
  await using bench = await newStore()
  const other = await bench.another()
  const indices = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      (i % 2 === 0 ? bench.store : other).run(() => appendKeyEvent(`svc:agent:${i % 9}`, digest(`${i}`))),
    ),
  )
  expect(indices.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i))
  const leaves = (await bench.store.read(() => leafRange(0, 60))).map(plain)
  const head = await bench.store.read(readTreeHead)
  expect(plain(head.rootHash)).toEqual(treeHash(leaves))
  expect(plain(leaves[59]!.slice(64))).toEqual(plain(head.mapRoot))
})

test("a value that is not a digest throws and adds no leaf", async () => {
  await using bench = await newStore()
  await expect(bench.store.run(() => appendKeyEvent("svc:agent:a", "sha256:00"))).rejects.toThrow(TypeError)
  expect(await bench.store.read(readTreeSize)).toBe(0)
})

test("a fixed log has the root, map root and leaf that another program computed", async () => {
  await using bench = await newStore()
  await bench.store.run(function* (): Unit<void> {
    yield* appendKeyEvent("svc:agent:one", digest("first"))
    yield* appendKeyEvent("svc:agent:two", digest("second"))
    yield* appendStatement("ARTIFACT", digest("artifact"))
    yield* appendKeyEvent("svc:agent:one", digest("third"))
    yield* appendStatement("CAPSULE", digest("capsule"))
  })
  const hex = (bytes: Uint8Array | null) => Buffer.from(bytes ?? []).toString("hex")
  const { rootHash, mapRoot } = await bench.store.read(readTreeHead)
  expect(hex(rootHash)).toBe("0559217d56221d382ecea2e31915385bf72e00afeacf0ec3ec2b77115a4834eb")
  expect(hex(mapRoot)).toBe("28331622f0a92ff5f104801b042ef79bf37697ce0d10787d5eb506a964e7b3d3")
  expect(hex(await bench.store.read(() => leafData(2)))).toBe(
    "e527ccb2a3c6a1e7b3fdded21c930274e3b0e0eb3b758186d6c7f99aa2d2a05cc7c5c1d70c5dec4416ab6158afd0b223ef40c29b1dc1f97ed9428b94d4cadb1c18573c8c08d95924b61e3fb7e9051e0ebedbd7efba972f953714d610ac36e8b4",
  )
})
