/** Computes when a list becomes too old: its publisher was last asked, or its content was published, too long ago. */
import { instant, SECOND } from "../../core/time.ts"
import type { Acceptance } from "../../store/sources/sources.ts"
import type { ContentLimit, ListWindows } from "../records/windows.ts"

export interface DatedList {
  /** When its bytes were retrieved or last confirmed, milliseconds. */
  readonly seen: number
  /** When the publisher's own host last sent or confirmed them, in milliseconds. */
  readonly confirmed: number | null
  /** Milliseconds; null if unknown. */
  readonly published: number | null
  readonly acceptances: readonly Acceptance[]
}

export interface ListEnd {
  /** Milliseconds. */
  readonly staleAt: number
  /** Which of the two ages causes it. */
  readonly because: "RETRIEVAL" | "CONTENT"
}

export function listEnd(list: DatedList, windows: ListWindows): ListEnd {
  const end = endWithoutAcceptance(list, windows)
  const accepted = acceptedOldAt(list.acceptances)
  if (accepted === null) return end
  // INVARIANT: an acceptance adds one retrieval window from the time of the acceptance. A confirmation of the accepted bytes does not
  // extend it.
  const whileAccepted = accepted + windows.staleSeconds * SECOND
  return whileAccepted > end.staleAt ? { staleAt: whileAccepted, because: "RETRIEVAL" } : end
}

function endWithoutAcceptance(list: DatedList, windows: ListWindows): ListEnd {
  const window = windows.staleSeconds * SECOND
  const byRetrieval = list.seen + window
  const byContent = list.published === null ? null : list.published + windows.content.staleSeconds * SECOND
  const unconfirmed: ListEnd =
    byContent !== null && byContent < byRetrieval
      ? { staleAt: byContent, because: "CONTENT" }
      : { staleAt: byRetrieval, because: "RETRIEVAL" }
  if (!windows.content.unlessConfirmed || list.confirmed === null) return unconfirmed
  const whileConfirmed = list.confirmed + window
  return whileConfirmed > unconfirmed.staleAt ? { staleAt: whileConfirmed, because: "RETRIEVAL" } : unconfirmed
}

/** Returns whether content published at `published` exceeds its limit at `at`, both in milliseconds. */
export function isContentOld(
  published: number,
  { staleSeconds }: Pick<ContentLimit, "staleSeconds">,
  at: number,
): boolean {
  return at >= published + staleSeconds * SECOND
}

/** When the operator last accepted these old bytes, in milliseconds. */
export function acceptedOldAt(acceptances: readonly Acceptance[]): number | null {
  const times = acceptances.filter(({ what }) => what === "OLD").map(({ at }) => instant(at))
  return times.length === 0 ? null : Math.max(...times)
}
