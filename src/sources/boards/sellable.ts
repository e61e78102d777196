/**
 * What is sold with a list or register at one moment. Import, `sources status`, `check` and the pages all state this; a test holds it against
 * the checks of the products.
 */

import { endsTooSoon } from "../../core/capsule/validity.ts"
import { instant } from "../../core/time.ts"
import { REQUIRED_US_SOURCES } from "../records/party.ts"
import type { SourceState } from "./source-board.ts"

/**
 * ALL: every product that requires the source. NO_PAYMENT_DECISION: the other products, with a condition. NOTHING: no product that requires
 * it.
 */
type Sold = "ALL" | "NO_PAYMENT_DECISION" | "NOTHING"

type Judged = Pick<SourceState, "health" | "staleAt" | "isAccepted"> & { readonly sourceId: string }

const FOR_PAYMENT_DECISIONS: ReadonlySet<string> = new Set(REQUIRED_US_SOURCES)

/**
 * `at` in milliseconds. A source that ends within ten minutes is of no use to an answer. A Payment Decision takes no list that the operator
 * accepted although it is old or small, because a machine releases money on it and nobody would read a condition first (rulings 74).
 */
export function soldWith({ sourceId, health, staleAt, isAccepted }: Judged, at: number): Sold {
  if (health !== "HEALTHY" || staleAt === null || endsTooSoon(instant(staleAt), at)) return "NOTHING"
  return isAccepted && FOR_PAYMENT_DECISIONS.has(sourceId) ? "NO_PAYMENT_DECISION" : "ALL"
}

/** For people; null if everything is sold. */
export function saleLimit(sold: Sold): string | null {
  return SALE_LIMITS[sold]
}

const SALE_LIMITS: Readonly<Record<Sold, string | null>> = {
  ALL: null,
  NO_PAYMENT_DECISION: "no Payment Decision is sold with it",
  NOTHING: "nothing that needs it is sold",
}
