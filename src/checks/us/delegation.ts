/** Selects the delegation of a key that permits an act. Pure: uses and time are parameters. */
import { amountMillionths } from "../../core/money.ts"
import { instant, SECOND } from "../../core/time.ts"

/** The members of a stored delegation that this check reads. */
export interface DelegationTerms {
  readonly delegationId: string
  readonly scope: readonly string[]
  readonly permittedIntents: readonly string[]
  readonly maxPaymentAmount: string
  readonly maxTotalAmount: string | null
  readonly maxRequestsPerDay: number | null
  readonly currency: string
  readonly validFrom: string
  readonly validUntil: string
  readonly state: "ACTIVE" | "REVOKED"
  readonly signerState: "ACTIVE" | "REVOKED"
}

/** The use of a delegation so far. It includes running requests and excludes the request under judgement. */
export interface DelegationUse {
  readonly totalMillionths: bigint
  readonly requestsToday: number
}

export interface DelegatedAct {
  readonly intent: string
  readonly amountMillionths: bigint
  readonly currency: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** By delegation id. A delegation without an entry is unused. */
  readonly uses: ReadonlyMap<string, DelegationUse>
}

type DelegationFault = "DELEGATION_NOT_ACTIVE" | "DELEGATION_EXCEEDED"
export type DelegationJudgement<D> =
  | { readonly fault: null; readonly delegation: D }
  | { readonly fault: DelegationFault; readonly delegation: null }

/**
 * CHOICE: a window opens up to 30 s early (the allowed clock skew), so that a delegation signed on another machine works at once. A window
 * never closes late.
 */
export const CLOCK_SKEW_MS = 30 * SECOND

/** True if the window contains `at`: from 30 s before its start up to its end, which is excluded. */
export function windowContains(from: string, until: string, at: number): boolean {
  return instant(from) - CLOCK_SKEW_MS <= at && at < instant(until)
}

const UNUSED: DelegationUse = { totalMillionths: 0n, requestsToday: 0 }

/**
 * Returns the first delegation, in the given order, that covers the act. Otherwise returns DELEGATION_EXCEEDED if a current delegation has
 * the scope and only its limits, intents or currency prevent the act, else DELEGATION_NOT_ACTIVE.
 */
export function judgeDelegations<D extends DelegationTerms>(
  delegations: readonly D[],
  act: DelegatedAct,
  scope: string,
): DelegationJudgement<D> {
  const current = delegations.filter((delegation) => isCurrent(delegation, act.at) && delegation.scope.includes(scope))
  return firstOf(current, (delegation) => covers(delegation, act))
}

/**
 * The same for an act without an amount. It checks only the window, the scope and the requests per day. Otherwise returns
 * DELEGATION_EXCEEDED if only the daily limit is reached.
 */
export function judgeUnpricedAct<D extends DelegationTerms>(
  delegations: readonly D[],
  { at, uses }: Pick<DelegatedAct, "at" | "uses">,
  scope: string,
): DelegationJudgement<D> {
  const current = delegations.filter((delegation) => isCurrent(delegation, at) && delegation.scope.includes(scope))
  return firstOf(current, (delegation) => hasDayLeft(delegation, uses.get(delegation.delegationId) ?? UNUSED))
}

function firstOf<D extends DelegationTerms>(
  current: readonly D[],
  covers: (delegation: D) => boolean,
): DelegationJudgement<D> {
  if (current.length === 0) return { fault: "DELEGATION_NOT_ACTIVE", delegation: null }
  const delegation = current.find(covers)
  return delegation ? { fault: null, delegation } : { fault: "DELEGATION_EXCEEDED", delegation: null }
}

function hasDayLeft({ maxRequestsPerDay }: DelegationTerms, { requestsToday }: DelegationUse): boolean {
  return maxRequestsPerDay === null || requestsToday < maxRequestsPerDay
}

/** True inside the window if neither the delegation nor the mandate key that signed it is revoked. */
function isCurrent(delegation: DelegationTerms, at: number): boolean {
  return (
    delegation.state === "ACTIVE" &&
    delegation.signerState === "ACTIVE" &&
    windowContains(delegation.validFrom, delegation.validUntil, at)
  )
}

/** A limit may be reached but not exceeded: an amount equal to the limit passes. */
function covers(delegation: DelegationTerms, act: DelegatedAct): boolean {
  const use = act.uses.get(delegation.delegationId) ?? UNUSED
  const { maxTotalAmount } = delegation
  return (
    delegation.permittedIntents.includes(act.intent) &&
    delegation.currency === act.currency &&
    act.amountMillionths <= amountMillionths(delegation.maxPaymentAmount) &&
    (maxTotalAmount === null || use.totalMillionths + act.amountMillionths <= amountMillionths(maxTotalAmount)) &&
    hasDayLeft(delegation, use)
  )
}
