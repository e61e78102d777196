/**
 * The Merkle tree of RFC 6962 section 2.1: hashes, the stored nodes that a proof needs, and the verification of proofs (RFC 9162 2.1.3.2
 * and 2.1.4.2). Runs in a browser: SHA-256 is a parameter. Sizes are numbers up to 2^53, never 32-bit.
 */
import { concatBytes, type Sha256, sameBytes } from "./bytes.ts"

export const HASH_BYTES = 32

const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

/** The perfect subtree over the `2^level` leaves that start at `index * 2^level`. */
export interface NodeId {
  readonly level: number
  readonly index: number
}

export interface TreeNode extends NodeId {
  readonly hash: Uint8Array
}

export function leafHash(sha256: Sha256, data: Uint8Array): Uint8Array {
  return sha256(concatBytes(LEAF, data))
}

function nodeHash(sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concatBytes(NODE, left, right))
}

/**
 * Returns the perfect subtrees that cover the leaves `start` to `end`, largest first. {@link foldNodes} of them is the hash of the range.
 */
export function coveringNodes(start: number, end: number): NodeId[] {
  const nodes: NodeId[] = []
  for (let at = start; at < end; ) {
    let level = 0
    let width = 1
    while (at % (width * 2) === 0 && at + width * 2 <= end) {
      level++
      width *= 2
    }
    nodes.push({ level, index: at / width })
    at += width
  }
  return nodes
}

/**
 * Returns the hash over adjacent perfect subtrees, largest first, as RFC 6962 splits a tree that is not full. No nodes give the hash of the
 * empty tree.
 */
export function foldNodes(sha256: Sha256, hashes: readonly Uint8Array[]): Uint8Array {
  const [last, ...before] = [...hashes].reverse()
  if (!last) return sha256(new Uint8Array(0))
  return before.reduce((right, left) => nodeHash(sha256, left, right), last)
}

/**
 * Adds one leaf to a tree that is given by its frontier (the covering nodes of all its leaves). `nodes` are the perfect subtrees that this
 * leaf completes, the leaf itself first.
 */
export function appendLeaf(
  sha256: Sha256,
  size: number,
  frontier: readonly Uint8Array[],
  hash: Uint8Array,
): { readonly frontier: readonly Uint8Array[]; readonly nodes: readonly TreeNode[] } {
  const rest = [...frontier]
  const nodes: TreeNode[] = [{ level: 0, index: size, hash }]
  let carried = hash
  for (let level = 0, left = size; left % 2 === 1; level++, left = (left - 1) / 2) {
    const sibling = rest.pop()
    if (!sibling) throw new TypeError("the frontier does not belong to a tree of this size")
    carried = nodeHash(sha256, sibling, carried)
    nodes.push({ level: level + 1, index: (left - 1) / 2, hash: carried })
  }
  return { frontier: [...rest, carried], nodes }
}

/**
 * Returns the nodes to fold for each element of the inclusion path of leaf `index` in the tree of `size` leaves, from leaf to root. Throws
 * a RangeError if the tree has no such leaf.
 */
export function inclusionNodes(index: number, size: number): NodeId[][] {
  if (!isSize(index) || !isSize(size) || index >= size) throw new RangeError("no such leaf in a tree of this size")
  const path: NodeId[][] = []
  let [start, end] = [0, size]
  while (end - start > 1) {
    const middle = start + splitOf(end - start)
    if (index < middle) {
      path.push(coveringNodes(middle, end))
      end = middle
    } else {
      path.push(coveringNodes(start, middle))
      start = middle
    }
  }
  return path.reverse()
}

/**
 * Returns the nodes to fold for each element of the consistency path (RFC 6962 2.1.2) between the trees of `from` and `to` leaves. Throws a
 * RangeError if `from` is larger than `to`.
 */
export function consistencyNodes(from: number, to: number): NodeId[][] {
  if (!isSize(from) || !isSize(to) || from > to) throw new RangeError("the earlier tree is the larger one")
  if (from === 0 || from === to) return []
  const path: NodeId[][] = []
  let [start, end] = [0, to]
  while (end !== from) {
    const middle = start + splitOf(end - start)
    if (from <= middle) {
      path.push(coveringNodes(middle, end))
      end = middle
    } else {
      path.push(coveringNodes(start, middle))
      start = middle
    }
  }
  // If the earlier tree is itself one subtree of the later tree, the verifier already has its root and needs no hash of it.
  if (start > 0) path.push(coveringNodes(start, end))
  return path.reverse()
}

interface InclusionProof {
  readonly index: number
  readonly size: number
  readonly leafHash: Uint8Array
  /** Hashes from leaf to root. */
  readonly path: readonly Uint8Array[]
  readonly rootHash: Uint8Array
}

/** True if the tree with that root and size has this leaf at this index. */
export function verifyInclusion(sha256: Sha256, { index, size, leafHash, path, rootHash }: InclusionProof): boolean {
  if (!isSize(index) || !isSize(size) || index >= size || ![leafHash, ...path].every(isHash)) return false
  let position = { first: index, last: size - 1 }
  let hash = leafHash
  for (const sibling of path) {
    if (position.last === 0) return false
    if (isRight(position)) {
      hash = nodeHash(sha256, sibling, hash)
      position = climbed(position)
    } else {
      hash = nodeHash(sha256, hash, sibling)
    }
    position = parent(position)
  }
  return position.last === 0 && sameBytes(hash, rootHash)
}

interface ConsistencyProof {
  readonly from: number
  readonly fromRootHash: Uint8Array
  readonly to: number
  readonly toRootHash: Uint8Array
  readonly path: readonly Uint8Array[]
}

/** True if the later tree begins with exactly the leaves of the earlier tree. Every tree begins with the empty tree. */
export function verifyConsistency(sha256: Sha256, proof: ConsistencyProof): boolean {
  const { from, to, fromRootHash, toRootHash, path } = proof
  if (!isSize(from) || !isSize(to) || from > to || ![fromRootHash, toRootHash, ...path].every(isHash)) return false
  if (from === 0) return path.length === 0 && sameBytes(fromRootHash, foldNodes(sha256, []))
  if (from === to) return path.length === 0 && sameBytes(fromRootHash, toRootHash)
  let position = { first: from - 1, last: to - 1 }
  while (position.first % 2 === 1) position = parent(position)
  const [start, ...rest] = position.first === 0 ? [fromRootHash, ...path] : path
  if (!start) return false
  let [earlier, later] = [start, start]
  for (const sibling of rest) {
    if (position.last === 0) return false
    if (isRight(position)) {
      earlier = nodeHash(sha256, sibling, earlier)
      later = nodeHash(sha256, sibling, later)
      position = climbed(position)
    } else {
      later = nodeHash(sha256, later, sibling)
    }
    position = parent(position)
  }
  return position.last === 0 && sameBytes(earlier, fromRootHash) && sameBytes(later, toRootHash)
}

/** Index of a node, and of the last node of its level. */
interface Position {
  readonly first: number
  readonly last: number
}

/** The last node of a level is lifted unchanged if it has no sibling to its right. Its next path hash is therefore on its left. */
const isRight = ({ first, last }: Position) => first % 2 === 1 || first === last

const parent = ({ first, last }: Position): Position => ({
  first: Math.floor(first / 2),
  last: Math.floor(last / 2),
})

function climbed(position: Position): Position {
  let at = position
  while (at.first % 2 === 0 && at.first !== 0) at = parent(at)
  return at
}

/** Returns the largest power of two below `count`, which is at least 2. */
function splitOf(count: number): number {
  let width = 1
  while (width * 2 < count) width *= 2
  return width
}

const isSize = (value: number) => Number.isSafeInteger(value) && value >= 0
const isHash = (value: Uint8Array) => value.length === HASH_BYTES
