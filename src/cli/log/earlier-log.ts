/**
 * Compares the log with what was published under its earlier names. Each earlier name ends with a last checkpoint, which must be the first
 * leaves of the log. A checkpoint of an earlier name with more leaves proves that leaves were lost or replaced.
 */
import { decodeBase64, sameBytes } from "../../core/bytes.ts"
import type { Checkpoint, VerifierKey } from "../../core/checkpoint.ts"
import type { LogReplay } from "../../core/log-replay.ts"
import type { EarlierOrigin } from "../../store/log/log-origin.ts"
import type { AuditResult, Difference } from "./audit-result.ts"

const ROOT_HASH_BYTES = 32

/** The same public keys under every name of the log: notes of an earlier name are signed under that name. */
export function underEarlierNames(
  keys: readonly VerifierKey[],
  earlier: readonly EarlierOrigin[],
): readonly VerifierKey[] {
  return [...keys, ...earlier.flatMap(({ origin }) => keys.map((key) => ({ ...key, name: origin })))]
}

/** Sizes that the replay must remember. */
export const sizesOf = (earlier: readonly EarlierOrigin[]): readonly number[] =>
  earlier.map(({ tree_size }) => tree_size)

/** One check for each earlier name. */
export function compareEarlierNames(result: AuditResult, replay: LogReplay, earlier: readonly EarlierOrigin[]): void {
  for (const { origin, tree_size: size, root_hash, replaced_at, why } of earlier) {
    const root = replay.rootAt(size)
    const stated = decodeBase64(root_hash, ROOT_HASH_BYTES)
    const difference: Difference | null =
      root === null
        ? { index: replay.size, what: `${origin} had ${size} leaves when it was replaced, this log has ${replay.size}` }
        : stated !== null && sameBytes(root, stated)
          ? null
          : { index: null, what: `the first ${size} leaves are not those of ${origin}: the log has forked` }
    result.step(
      `earlier name ${origin}`,
      difference,
      `its ${size} leaves are the first of this log; replaced at ${replaced_at}: ${why}`,
    )
  }
}

/** Why a checkpoint that somebody kept does not fit the log; null when its leaves are the first of the log. */
export function earlierDifference(
  replay: LogReplay,
  { origin, earlier }: { readonly origin: string; readonly earlier: readonly EarlierOrigin[] },
  kept: Checkpoint,
): Difference | null {
  const replaced = earlier.find((one) => one.origin === kept.origin)
  if (kept.origin !== origin && !replaced) {
    return { index: null, what: `the earlier checkpoint is of another log, ${kept.origin}` }
  }
  if (replaced && kept.size > replaced.tree_size) {
    const lost = kept.size - replaced.tree_size
    return {
      index: replaced.tree_size,
      what: `${kept.origin} had ${kept.size} leaves, and ${origin} goes on after its first ${replaced.tree_size}: ${lost} leaves were left out when the name was replaced at ${replaced.replaced_at} (${replaced.why}). Keep the checkpoint: it proves that two histories were published`,
    }
  }
  const root = replay.rootAt(kept.size)
  if (!root) {
    const what = `the earlier checkpoint has ${kept.size} leaves, this log ${replay.size}: this log is an older state`
    return { index: replay.size, what }
  }
  const what = `the first ${kept.size} leaves differ from those of the earlier checkpoint of ${kept.origin}: the log has forked`
  return sameBytes(root, kept.rootHash) ? null : { index: null, what }
}
