/** Maximum size of all cached bundles together. Above it the oldest are evicted. */
export const KEPT_EXPORT_BYTES_MAX = 16 * 1024 * 1024

/**
 * Caches the bundles of the current time window. A history of 900 events takes a fifth of a second to read and sign, which blocks all other
 * requests. A repeated request within the window gets the same file with the same checkpoint.
 */
export class KeptExports {
  private readonly kept = new Map<string, { readonly madeFrom: string; readonly bytes: Uint8Array }>()
  private size = 0

  /** `madeFrom` names everything that the bundle depends on, except the time within the window. */
  find(agentId: string, madeFrom: string): Uint8Array | null {
    const known = this.kept.get(agentId)
    return known?.madeFrom === madeFrom ? known.bytes : null
  }

  keep(agentId: string, madeFrom: string, bytes: Uint8Array): void {
    this.forget(agentId)
    this.kept.set(agentId, { madeFrom, bytes })
    this.size += bytes.length
    for (const oldest of this.kept.keys()) {
      if (this.size <= KEPT_EXPORT_BYTES_MAX) break
      this.forget(oldest)
    }
  }

  private forget(agentId: string): void {
    this.size -= this.kept.get(agentId)?.bytes.length ?? 0
    this.kept.delete(agentId)
  }
}
