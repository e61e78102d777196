/** Computes the health of registers at each call, with the same values as for restricted-party sources. */
import { formatInstant, instant, SECOND } from "../../core/time.ts"
import type { SourceCheckRow } from "../../store/sources/source-checks.ts"
import type { AttemptRow, SnapshotRow } from "../../store/sources/sources.ts"
import { nextAttempt } from "../fetch/schedule/next-attempt.ts"
import { registerPoll } from "../fetch/schedule/poll.ts"
import type { RegisterAdapter } from "../records/register-adapter.ts"
import { acceptedOldAt, type ListEnd } from "./content-age.ts"
import { judgedAge } from "./judged-age.ts"
import type { RegisterState } from "./register-board.ts"
import type { UsedSnapshot } from "./source-board.ts"
import { lastAttemptOf } from "./source-health.ts"
import { isAccepted, usedSnapshot } from "./used-snapshot.ts"
import type { Windows } from "./windows.ts"

export interface RegisterHealthInput {
  readonly adapter: Pick<RegisterAdapter, "id" | "windows">
  /** The open snapshot; null if there is none, or it could not be read. */
  readonly snapshot: SnapshotRow | null
  readonly attempt: AttemptRow | null
  readonly check: SourceCheckRow | null
  readonly disabled: boolean
  /** Whether the service fetches from publishers itself. */
  readonly fetching: boolean
  /** Milliseconds. */
  readonly at: number
}

export function registerState(input: RegisterHealthInput): RegisterState {
  const { adapter, snapshot, attempt, check, disabled, fetching, at } = input
  const used = snapshot && usedSnapshot(snapshot)
  const since = used ? speaksOf(used) : null
  const end = used && since !== null ? endOf(used, since, adapter.windows) : null
  const isNeverFresh = (used?.acceptances.length ?? 0) > 0
  const { windows } = adapter
  const judged = judgedAge({ since, end, windows, isNeverFresh, attempt, disabled, at })
  const accepted = used !== null && isAccepted(used)
  return {
    sourceId: adapter.id,
    ...judged,
    reasonCodes: accepted ? [...judged.reasonCodes, "SOURCE_ACCEPTED_BY_OPERATOR"] : judged.reasonCodes,
    isAccepted: accepted,
    checkedAt: snapshot?.retrievedAt ?? null,
    snapshot: used,
    lastAttempt: lastAttemptOf(attempt, check),
    // A register that was never imported is not fetched.
    nextAttemptAt:
      fetching && !disabled && snapshot
        ? formatInstant(Math.max(at, nextAttempt(registerPoll(adapter, snapshot), check, at)))
        : null,
  }
}

/**
 * CHOICE: the age of a register counts from its publication time if it states one, not from its retrieval. It is published as a whole on
 * known days, and last spring's register, fetched today, does not know a company that was dissolved in summer.
 */
function speaksOf({ sourceTimestamp, retrievedAt }: UsedSnapshot): number {
  return Math.min(instant(retrievedAt), instant(sourceTimestamp))
}

/** An accepted old register may be used for one window from the acceptance. */
function endOf({ publishedAt, acceptances }: UsedSnapshot, since: number, windows: Windows): ListEnd {
  const accepted = acceptedOldAt(acceptances) ?? since
  const because = publishedAt !== null && instant(publishedAt) === since ? "CONTENT" : "RETRIEVAL"
  return { staleAt: Math.max(since, accepted) + windows.staleSeconds * SECOND, because }
}
