/** All bundles kept together; beyond it the ones kept longest are forgotten. */
export const KEPT_EXPORT_BYTES_MAX = 16 * 1024 * 1024

/**
 * Bundles of the current window of time. A history of 900 events takes a fifth of a second to read and sign, during which nobody
 * else is served: whoever asks for it again within the window gets the same file, of the same checkpoint.
 */
export class KeptExports {
  private readonly kept = new Map<string, { readonly madeFrom: string; readonly bytes: Uint8Array }>()
  private size = 0

  /** `madeFrom` names everything but the time within the window that the bundle depends on. */
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
