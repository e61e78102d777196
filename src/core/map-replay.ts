/**
 * Rebuilds the verifiable map in memory, entry by entry, for an audit of the log. It uses about 250 bytes per agent in flat arrays and does
 * not depend on the service's own storage of the map.
 */
import { type Sha256, sameBytes } from "./bytes.ts"
import {
  EMPTY_MAP,
  mapBranchHash,
  mapEntryHash,
  mapKeyBit,
  sharedBits,
  MAP_KEY_BYTES as WIDTH,
} from "./verifiable-map.ts"

/** 0: empty; above 0: a branch; below 0: an entry. */
type Reference = number

export class MapReplay {
  /** Two references per branch, left and right. Index 0 is unused. */
  private children = new Int32Array(2 * 1024)
  private branchHashes = new Uint8Array(WIDTH * 1024)
  /** Key, digest and hash of each entry. */
  private entries = new Uint8Array(3 * WIDTH * 1024)
  private top: Reference = 0
  branchCount = 0
  entryCount = 0

  constructor(private readonly sha256: Sha256) {}

  root(): Uint8Array {
    return this.hashOf(this.top)
  }

  /** Returns the digest of the key's newest event, or null. */
  digestOf(key: Uint8Array): Uint8Array | null {
    let at = this.top
    for (let depth = 0; at > 0; depth++) at = this.childOf(at, mapKeyBit(key, depth))
    return at < 0 && sameBytes(this.partOf(at, 0), key) ? this.partOf(at, 1) : null
  }

  /** Returns the hashes of both sides of the branch at the first `depth` bits of `key`, or null if there is no branch. */
  branchAt(key: Uint8Array, depth: number): { readonly left: Uint8Array; readonly right: Uint8Array } | null {
    let at = this.top
    for (let level = 0; level < depth && at > 0; level++) at = this.childOf(at, mapKeyBit(key, level))
    return at > 0 ? { left: this.hashOf(this.childOf(at, 0)), right: this.hashOf(this.childOf(at, 1)) } : null
  }

  put(key: Uint8Array, digest: Uint8Array): void {
    const way: number[] = []
    let at = this.top
    while (at > 0) {
      way.push(at)
      at = this.childOf(at, mapKeyBit(key, way.length - 1))
    }
    if (at < 0 && sameBytes(this.partOf(at, 0), key)) this.writeEntry(at, key, digest)
    else this.addEntry(way, at, key, digest)
    for (const branch of way.reverse()) this.rehash(branch)
  }

  /**
   * Puts a new entry at the position of `occupant`. If an entry is already there, adds branches down to the first bit where the two keys
   * differ.
   */
  private addEntry(way: number[], occupant: Reference, key: Uint8Array, digest: Uint8Array): void {
    const added = this.newEntry(key, digest)
    if (occupant === 0) {
      this.attach(way, key, added)
      return
    }
    const other = this.partOf(occupant, 0)
    const shared = sharedBits(key, other)
    while (way.length <= shared) {
      const branch = this.newBranch()
      this.attach(way, key, branch)
      way.push(branch)
    }
    this.attach(way, key, added)
    this.setChild(way.at(-1) ?? 0, mapKeyBit(other, shared), occupant)
  }

  private attach(way: readonly number[], key: Uint8Array, child: Reference): void {
    const above = way.at(-1)
    if (above === undefined) this.top = child
    else this.setChild(above, mapKeyBit(key, way.length - 1), child)
  }

  private rehash(branch: number): void {
    const hash = mapBranchHash(this.sha256, this.hashOf(this.childOf(branch, 0)), this.hashOf(this.childOf(branch, 1)))
    this.branchHashes.set(hash, branch * WIDTH)
  }

  private newBranch(): number {
    const branch = ++this.branchCount
    if ((branch + 1) * 2 > this.children.length) {
      this.children = grown(this.children, Int32Array)
      this.branchHashes = grown(this.branchHashes, Uint8Array)
    }
    return branch
  }

  private newEntry(key: Uint8Array, digest: Uint8Array): Reference {
    const entry = ++this.entryCount
    if ((entry + 1) * 3 * WIDTH > this.entries.length) this.entries = grown(this.entries, Uint8Array)
    this.writeEntry(-entry, key, digest)
    return -entry
  }

  private writeEntry(entry: Reference, key: Uint8Array, digest: Uint8Array): void {
    const at = -entry * 3 * WIDTH
    this.entries.set(key, at)
    this.entries.set(digest, at + WIDTH)
    this.entries.set(mapEntryHash(this.sha256, key, digest), at + 2 * WIDTH)
  }

  /** Part 0 of an entry is its key, 1 its digest, 2 its hash. */
  private partOf(entry: Reference, part: 0 | 1 | 2): Uint8Array {
    const at = (-entry * 3 + part) * WIDTH
    return this.entries.subarray(at, at + WIDTH)
  }

  private hashOf(reference: Reference): Uint8Array {
    if (reference === 0) return EMPTY_MAP
    if (reference < 0) return this.partOf(reference, 2)
    return this.branchHashes.subarray(reference * WIDTH, (reference + 1) * WIDTH)
  }

  private childOf(branch: number, side: 0 | 1): Reference {
    return this.children[branch * 2 + side] ?? 0
  }

  private setChild(branch: number, side: 0 | 1, child: Reference): void {
    this.children[branch * 2 + side] = child
  }
}

function grown<T extends Int32Array | Uint8Array>(from: T, kind: new (length: number) => T): T {
  const larger = new kind(from.length * 2)
  larger.set(from)
  return larger
}
