/**
 * An audit of the log, leaf by leaf: the tree and the map are rebuilt from leaf data alone, and every map root a leaf states must be
 * the one that follows from the leaves up to it, and no event may be logged twice. The same code audits a data directory and a server.
 */
import { type Sha256, sameBytes } from "./bytes.ts"
import { readLeafData, statementKindOf } from "./leaf-data.ts"
import { MapReplay } from "./map-replay.ts"
import { appendLeaf, foldNodes, leafHash, type TreeNode } from "./merkle-tree.ts"

export interface LeafFault {
  readonly index: number
  readonly what: string
}

export class LogReplay {
  size = 0
  readonly map: MapReplay
  private frontier: readonly Uint8Array[] = []
  private readonly roots = new Map<number, Uint8Array>()
  /** Of every event so far the first half of its digest: 128 bits meet by chance in no log. */
  private readonly events = new Set<string>()

  /** `watched`: sizes whose root is wanted later, to compare it with what was once signed or recorded. */
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

  /** Root of the tree of a watched size, or null while the replay has not come that far. */
  rootAt(size: number): Uint8Array | null {
    return this.roots.get(size) ?? null
  }

  /** Takes the next leaf. The perfect subtrees it completes, or what is wrong with it; a log with a wrong leaf is not read on. */
  add(data: Uint8Array): { readonly nodes: readonly TreeNode[] } | { readonly fault: LeafFault } {
    const index = this.size
    const leaf = readLeafData(data)
    if (!leaf) return { fault: { index, what: `leaf ${index} has ${data.length} bytes, not 96` } }
    if (!statementKindOf(this.sha256, leaf.subject)) {
      // A map that follows from the leaves is no proof against an earlier event logged again as the newest: with its old signatures
      // and its old proofs a history that ends there would verify, and a revocation be undone.
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
