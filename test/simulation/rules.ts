/** The state machines: which moves a row may make. */
import type { AttemptState } from "./changes.ts"

export const moveName = (from: string | null, to: string) => `${from ?? "nothing"} to ${to}`

const START = null

export const ATTEMPT_MOVES: ReadonlySet<string> = moves<AttemptState | null>([
  [START, "RESERVED"],
  ["RESERVED", "VERIFIED"],
  ["RESERVED", "RELEASED"],
  ["VERIFIED", "SETTLING"],
  ["VERIFIED", "RELEASED"],
  ["VERIFIED", "FAILED"],
  ["SETTLING", "SETTLED"],
  ["SETTLING", "FAILED"],
  ["RELEASED", "RESERVED"],
  ["RELEASED", "PAID_OWED"],
  ["FAILED", "PAID_OWED"],
  ["PAID_OWED", "SETTLED"],
  // Its finality, or the block its transfer is in.
  ["SETTLED", "SETTLED"],
])

export const REQUEST_MOVES: ReadonlySet<string> = moves<string | null>([
  [START, "NEW"],
  ["NEW", "COMPUTED"],
  ["NEW", "DELIVERED"],
  ["COMPUTED", "NEW"],
  ["COMPUTED", "DELIVERED"],
])

export const NONCE_MOVES: ReadonlySet<string> = moves<string | null>([
  [START, "ALLOCATED"],
  ["ALLOCATED", "STORED"],
  ["ALLOCATED", "MINED"],
  ["STORED", "MINED"],
  // A reorganization took its block away, or a node lied about the relayer's count for a while.
  ["MINED", "STORED"],
  ["MINED", "ALLOCATED"],
])

/** An attempt in one of these is the only one of its request. */
export const LIVE: ReadonlySet<AttemptState> = new Set(["RESERVED", "VERIFIED", "SETTLING", "SETTLED"])
/** We may have been paid, or were: nobody is told that nothing was charged. */
export const MAYBE_PAID: ReadonlySet<AttemptState> = new Set(["SETTLING", "SETTLED", "PAID_OWED"])

function moves<State extends string | null>(
  pairs: readonly (readonly [State, NonNullable<State>])[],
): ReadonlySet<string> {
  return new Set(pairs.map(([from, to]) => moveName(from, to)))
}
