/** What a revoked key signed counts only if the log had it before. A capsule that was delivered just now may wait for its leaf. */
import type { Machine } from "../../base/machine.ts"
import type { Store } from "../../store/engine/unit.ts"
import type { OpenedArtifact, OwnRecord } from "./opened-artifact.ts"

/** How long the leaf of a capsule is waited for. A capsule gets it within some milliseconds. */
const LEAF_WITHIN_MS = 1_000
const PAUSE_MS = 10

interface OnceLoggedDeps {
  readonly store: Pick<Store, "read">
  readonly machine: Pick<Machine, "monotonic" | "sleep">
}

/**
 * Resolves with the record as soon as it has its leaf. A record that gets none resolves after a second, or as soon as every capsule that waited
 * when `record` was read has its leaf.
 */
export async function onceLogged(
  { store, machine }: OnceLoggedDeps,
  opened: Pick<OpenedArtifact, "record">,
  record: OwnRecord,
): Promise<OwnRecord> {
  const { waiting } = record
  const end = machine.monotonic() + LEAF_WITHIN_MS
  let latest = record
  while (waiting && latest.waiting && latest.waiting.oldest <= waiting.newest && machine.monotonic() < end) {
    await machine.sleep(PAUSE_MS)
    latest = await store.read(opened.record)
  }
  return latest
}
