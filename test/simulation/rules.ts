/** The state machines: the allowed moves of a row. */
import type { AttemptRow, AttemptState, PurchaseRow } from "./database/changes.ts"

export const moveName = (from: string | null, to: string) => `${from ?? "nothing"} to ${to}`

const START = null

export const ATTEMPT_MOVES: ReadonlySet<string> = moves<AttemptState | null>([
  [START, "RESERVED"],
  // Its authorization was used before, and its request is refused for the moment or another purchase has it.
  [START, "RELEASED"],
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
  // A change of its finality, or of the block with its transfer.
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
  // A reorganization removed its block, or a node gave a wrong count of the relayer for a while.
  ["MINED", "STORED"],
  ["MINED", "ALLOCATED"],
])

/** Only one attempt of a request may be in one of these states. */
export const LIVE: ReadonlySet<AttemptState> = new Set(["RESERVED", "VERIFIED", "SETTLING", "SETTLED"])
/** The state of an attempt's purchase. Written again here, so that a fault in the program's own table is found. */
const PURCHASE_OF: Readonly<Record<AttemptState, PurchaseRow["state"]>> = {
  RESERVED: "LIVE",
  VERIFIED: "LIVE",
  SETTLING: "LIVE",
  SETTLED: "ACQUIRED",
  FAILED: "ENDED",
  RELEASED: "ENDED",
  PAID_OWED: "OWED",
}
/** The states that the attempt's purchase may have. A watched one claims its request while the chain shows its authorization as used. */
export function purchasesOf({ state, watched }: AttemptRow): readonly PurchaseRow["state"][] {
  const expected = PURCHASE_OF[state]
  return expected === "ENDED" && watched === 1 ? ["ENDED", "OWED"] : [expected]
}
/** The service may have been paid, or was: no response says that nothing was charged. */
export const MAYBE_PAID: ReadonlySet<AttemptState> = new Set(["SETTLING", "SETTLED", "PAID_OWED"])

function moves<State extends string | null>(
  pairs: readonly (readonly [State, NonNullable<State>])[],
): ReadonlySet<string> {
  return new Set(pairs.map(([from, to]) => moveName(from, to)))
}
