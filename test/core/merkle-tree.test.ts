import { describe, expect } from "bun:test"
import fc from "fast-check"
import {
  appendLeaf,
  consistencyNodes,
  foldNodes,
  inclusionNodes,
  leafHash,
  type NodeId,
  verifyConsistency,
  verifyInclusion,
} from "../../src/core/merkle-tree.ts"
import { sha256 } from "../../src/core/sha256.ts"
import { runs } from "../fixtures/long.ts"
import {
  consistencyPathOf,
  inclusionPathOf,
  rootByInclusion,
  rootsByConsistency,
  treeHash,
} from "../fixtures/reference-log.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const SIZE = 70
const leaves = Array.from({ length: SIZE }, (_, i) => new TextEncoder().encode(`leaf ${i}`))
const roots = Array.from({ length: SIZE + 1 }, (_, size) => treeHash(leaves.slice(0, size)))

/** A tree grown leaf by leaf: its stored nodes and its root after each leaf. */
function grown(data: readonly Uint8Array[]) {
  const nodes = new Map<string, Uint8Array>()
  let frontier: readonly Uint8Array[] = []
  const rootsSeen = [foldNodes(sha256, frontier)]
  for (const [size, one] of data.entries()) {
    const step = appendLeaf(sha256, size, frontier, leafHash(sha256, one))
    for (const { level, index, hash } of step.nodes) nodes.set(`${level}/${index}`, hash)
    frontier = step.frontier
    rootsSeen.push(foldNodes(sha256, frontier))
  }
  return { nodes, roots: rootsSeen }
}

const tree = grown(leaves)
const hashes = (groups: readonly (readonly NodeId[])[]) =>
  groups.map((group) =>
    foldNodes(
      sha256,
      group.map(({ level, index }) => tree.nodes.get(`${level}/${index}`) ?? new Uint8Array(0)),
    ),
  )

test("the Certificate Transparency test tree has its known roots", () => {
  const data = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
  const known = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
  ]
  const tree = grown(data.map((hex) => new Uint8Array(Buffer.from(hex, "hex"))))
  expect(tree.roots.map((root) => Buffer.from(root).toString("hex"))).toEqual(known)
})

test("a tree grown leaf by leaf has the defined root at every size", () => {
  expect(tree.roots).toEqual(roots)
})

describe("inclusion", () => {
  test("the path of every leaf at every size matches the definition and verifies", () => {
    for (let size = 1; size <= SIZE; size++) {
      for (let index = 0; index < size; index++) {
        const path = hashes(inclusionNodes(index, size))
        expect(path).toEqual(inclusionPathOf(index, leaves.slice(0, size)))
        const hash = leafHash(sha256, leaves[index]!)
        expect(verifyInclusion(sha256, { index, size, leafHash: hash, path, rootHash: roots[size]! })).toBe(true)
        expect(rootByInclusion(index, size, hash, path)).toEqual(roots[size]!)
      }
    }
  })

  test("a proof with any change fails", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: SIZE }).chain((size) => fc.tuple(fc.constant(size), fc.nat(size - 1))),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        ([size, index], where, flip) => {
          const path = inclusionPathOf(index, leaves.slice(0, size))
          const proof = { index, size, leafHash: leafHash(sha256, leaves[index]!), path, rootHash: roots[size]! }
          const flipped = (bytes: Uint8Array) => bytes.map((byte, i) => (i === where % 32 ? byte ^ flip : byte))
          expect(verifyInclusion(sha256, { ...proof, leafHash: flipped(proof.leafHash) })).toBe(false)
          expect(verifyInclusion(sha256, { ...proof, rootHash: flipped(proof.rootHash) })).toBe(false)
          expect(verifyInclusion(sha256, { ...proof, path: [...path, roots[1]!] })).toBe(false)
          expect(verifyInclusion(sha256, { ...proof, index: size })).toBe(false)
          expect(verifyInclusion(sha256, { ...proof, index: (index + 1 + (where % 100)) % 2 ** 40 })).toBe(false)
          if (path.length === 0) return
          const at = where % path.length
          expect(verifyInclusion(sha256, { ...proof, path: path.with(at, flipped(path[at]!)) })).toBe(false)
          expect(verifyInclusion(sha256, { ...proof, path: path.toSpliced(at, 1) })).toBe(false)
        },
      ),
      { numRuns: runs(500) },
    )
  })

  test("an element that is not a hash is refused, wherever its bytes would count", () => {
    const path = inclusionPathOf(0, leaves.slice(0, 2)).map((hash) => hash.slice(0, 31))
    const proof = { index: 0, size: 2, leafHash: leafHash(sha256, leaves[0]!), path, rootHash: roots[2]! }
    expect(verifyInclusion(sha256, proof)).toBe(false)
  })

  test("sizes beyond 32 bits are computed exactly", () => {
    const size = 2 ** 40 + 3
    expect(inclusionNodes(2 ** 40 + 2, size)).toEqual([[{ level: 1, index: 2 ** 39 }], [{ level: 40, index: 0 }]])
    expect(() => inclusionNodes(size, size)).toThrow(RangeError)
    expect(() => inclusionNodes(0, 2 ** 53)).toThrow(RangeError)
  })
})

describe("consistency", () => {
  test("the path between any two sizes matches the definition and verifies, here and independently", () => {
    for (let to = 1; to <= SIZE; to++) {
      for (let from = 1; from <= to; from++) {
        const path = hashes(consistencyNodes(from, to))
        expect(path).toEqual(consistencyPathOf(from, leaves.slice(0, to)))
        const [fromRootHash, toRootHash] = [roots[from]!, roots[to]!]
        expect(verifyConsistency(sha256, { from, to, fromRootHash, toRootHash, path })).toBe(true)
        expect(rootsByConsistency(from, to, path, fromRootHash)).toEqual({ earlier: fromRootHash, later: toRootHash })
      }
    }
  })

  test("every tree starts from the empty tree, which has a fixed root", () => {
    const proof = { from: 0, to: 5, fromRootHash: roots[0]!, toRootHash: roots[5]!, path: [] }
    expect(consistencyNodes(0, 5)).toEqual([])
    expect(verifyConsistency(sha256, proof)).toBe(true)
    expect(verifyConsistency(sha256, { ...proof, fromRootHash: roots[1]! })).toBe(false)
  })

  test("a proof with any change, another tree or another size fails", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: SIZE }).chain((to) => fc.tuple(fc.constant(to), fc.integer({ min: 1, max: to - 1 }))),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        ([to, from], where, flip) => {
          const path = consistencyPathOf(from, leaves.slice(0, to))
          const proof = { from, to, fromRootHash: roots[from]!, toRootHash: roots[to]!, path }
          const flipped = (bytes: Uint8Array) => bytes.map((byte, i) => (i === where % 32 ? byte ^ flip : byte))
          expect(verifyConsistency(sha256, { ...proof, fromRootHash: flipped(roots[from]!) })).toBe(false)
          expect(verifyConsistency(sha256, { ...proof, toRootHash: flipped(roots[to]!) })).toBe(false)
          expect(verifyConsistency(sha256, { ...proof, path: [...path, roots[1]!] })).toBe(false)
          expect(verifyConsistency(sha256, { ...proof, path: [] })).toBe(false)
          expect(verifyConsistency(sha256, { ...proof, from: to, to: from })).toBe(false)
          expect(verifyConsistency(sha256, { ...proof, to: from })).toBe(false)
          const at = where % path.length
          expect(verifyConsistency(sha256, { ...proof, path: path.with(at, flipped(path[at]!)) })).toBe(false)
          expect(verifyConsistency(sha256, { ...proof, path: path.toSpliced(at, 1) })).toBe(false)
          const forked = treeHash(leaves.slice(0, to).with(where % from, new Uint8Array(96)))
          expect(verifyConsistency(sha256, { ...proof, toRootHash: forked })).toBe(false)
        },
      ),
      { numRuns: runs(500) },
    )
  })

  test("the earlier tree cannot be the larger one", () => {
    expect(() => consistencyNodes(3, 2)).toThrow(RangeError)
  })
})
