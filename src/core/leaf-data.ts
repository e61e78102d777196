/**
 * The data of a transparency log leaf, always 96 bytes (rulings 21). A key event: map key ‖ SHA-256(C14N(event)) ‖ map root after the
 * event. Another statement: SHA-256 of its label ‖ its digest ‖ the map root, which the statement does not change.
 */
import { concatBytes, type Sha256, sameBytes } from "./bytes.ts"

export const LEAF_DATA_BYTES = 96

const STATEMENT_KINDS = ["ARTIFACT", "CAPSULE", "REVIEW"] as const
export type StatementKind = (typeof STATEMENT_KINDS)[number]

export interface LeafData {
  /** Map key of the agent, or the mark of the kind of statement. */
  readonly subject: Uint8Array
  readonly digest: Uint8Array
  readonly mapRoot: Uint8Array
}

/** A map key never equals a mark: both are SHA-256 of texts with different labels. */
export function statementMark(sha256: Sha256, kind: StatementKind): Uint8Array {
  return sha256(new TextEncoder().encode(`SVC-${kind}-LEAF-V1\n`))
}

export function statementKindOf(sha256: Sha256, subject: Uint8Array): StatementKind | null {
  return STATEMENT_KINDS.find((kind) => sameBytes(statementMark(sha256, kind), subject)) ?? null
}

export function writeLeafData({ subject, digest, mapRoot }: LeafData): Uint8Array {
  return concatBytes(subject, digest, mapRoot)
}

/** Returns null unless there are exactly 96 bytes. */
export function readLeafData(data: Uint8Array): LeafData | null {
  if (data.length !== LEAF_DATA_BYTES) return null
  return { subject: data.slice(0, 32), digest: data.slice(32, 64), mapRoot: data.slice(64) }
}
