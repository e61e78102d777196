/**
 * Audits the log leaf by leaf. It rebuilds the tree and the map from leaf data alone. The map root in each leaf must follow from the leaves
 * up to it, and no event may occur twice. The same code audits a data directory and a server.
 */
import { type Sha256, sameBytes } from "./bytes.ts"
import { readLeafData, statementKindOf } from "./leaf-data.ts"
import { MapReplay } from "./map-replay.ts"
import { appendLeaf, foldNodes, leafHash, type TreeNode } from "./merkle-tree.ts"

interface LeafFault {
  readonly index: number
  readonly what: string
}

export class LogReplay {
  size = 0
  readonly map: MapReplay
  private frontier: readonly Uint8Array[] = []
  private readonly roots = new Map<number, Uint8Array>()
  /** The first half of the digest of every event so far. Two events do not share 128 bits by chance. */
  private readonly events = new Set<string>()

  /** `watched`: tree sizes whose root the caller will compare with a signed or recorded root. */
  constructor(
    private readonly sha256: Sha256,
    private readonly watched: readonly number[] = [],
  ) {
    this.map = new MapReplay(sha256)
    this.remember()
  }

  rootHash(): Uint8Array {
    return foldNodes(this.sha256, this.frontier)
  }

  /** Returns the root of the tree of a watched size, or null if the replay has not reached it. */
  rootAt(size: number): Uint8Array | null {
    return this.roots.get(size) ?? null
  }

  /** Adds the next leaf. Returns the perfect subtrees that it completes, or the fault. The audit stops at a leaf with a fault. */
  add(data: Uint8Array): { readonly nodes: readonly TreeNode[] } | { readonly fault: LeafFault } {
    const index = this.size
    const leaf = readLeafData(data)
    if (!leaf) return { fault: { index, what: `leaf ${index} has ${data.length} bytes, not 96` } }
    if (!statementKindOf(this.sha256, leaf.subject)) {
      // A map that follows from the leaves does not exclude that an earlier event was logged again as the newest. A history that ends there
      // would verify with its old signatures and proofs, and a revocation would be undone.
      if (!this.isFirst(leaf.digest)) {
        return {
          fault: { index, what: `leaf ${index} logs an event again: an identity is taken back to an earlier state` },
        }
      }
      this.map.put(leaf.subject, leaf.digest)
    }
    if (!sameBytes(leaf.mapRoot, this.map.root())) {
      return { fault: { index, what: `leaf ${index} states a map root that does not follow from the leaves up to it` } }
    }
    const { frontier, nodes } = appendLeaf(this.sha256, index, this.frontier, leafHash(this.sha256, data))
    this.frontier = frontier
    this.size = index + 1
    this.remember()
    return { nodes }
  }

  private isFirst(digest: Uint8Array): boolean {
    const known = this.events.size
    return this.events.add(String.fromCharCode(...digest.subarray(0, 16))).size > known
  }

  private remember(): void {
    if (this.watched.includes(this.size)) this.roots.set(this.size, this.rootHash())
  }
}
