/**
 * The facts of every US operation: the company screened against the lists in use and looked up in the registers that assign its
 * identifiers.
 */
import type { AnswerFacts } from "../../../schemas/answer-facts.ts"
import type { UsFacts } from "../../../schemas/us/operation-facts.ts"
import type { UsOperationRequest } from "../../../schemas/us/operation-request.ts"
import type { Tolerance } from "../../../schemas/us/payment-decision.ts"
import { instant } from "../../core/time.ts"
import type { SourceBoard } from "../../sources/boards/source-board.ts"
import { requestStaleAt, sourceFact } from "../../sources/boards/source-fact.ts"
import type { SuppressionBook } from "../../sources/screening/suppress.ts"
import { type RequiredSourceState, sourceFailed } from "../common/source-failure.ts"
import { supplierFacts } from "./recorded-supplier.ts"
import { named } from "./registered-name.ts"
import type { Registers } from "./registration.ts"

export interface UsSources {
  readonly sources: SourceBoard
  readonly registers: Registers
  /** The operator's suppressions that are not revoked. */
  readonly suppressions: () => SuppressionBook
  /** True if the service fetches from publishers itself. Then a list that was never imported may still arrive. */
  readonly fetching: boolean
}

/** What the reserving transaction read about the company. */
export interface RecordedCompany {
  /** Keys of all identifiers of the company that its owner's records know. Empty if they do not know it. */
  readonly recorded: readonly string[]
}

type CompanyRequest = Pick<UsOperationRequest, "company" | "freshness_requirements"> & {
  /** Absent from a request that leaves the tolerance to the service. */
  readonly risk_policy?: { readonly tolerance: Tolerance }
}

/**
 * Returns the state of the four lists for this request, or for any request if it is null. Its `max_age_seconds` can shorten their windows,
 * never extend them.
 */
export function usSourceStates(
  { sources, fetching }: Pick<UsSources, "sources" | "fetching">,
  request: Pick<CompanyRequest, "freshness_requirements"> | null,
  at: number,
): RequiredSourceState[] {
  const maxAge = request?.freshness_requirements.max_age_seconds ?? Number.POSITIVE_INFINITY
  return sources.states(at).map((state) => ({
    sourceId: state.sourceId,
    health: state.health,
    reasonCodes: state.reasonCodes,
    staleAt: requestStaleAt(state, maxAge),
    neverSetUp: state.snapshot === null && state.health === "UNAVAILABLE" && !fetching,
  }))
}

/**
 * Throws SourceFailure if the register that supplied the company's name became unusable since the quote. Without a name there is nothing to
 * screen.
 */
export function gatherCompany(
  context: UsSources,
  request: CompanyRequest,
  base: AnswerFacts,
  { recorded }: RecordedCompany,
): UsFacts {
  const { sources, registers, suppressions } = context
  const at = instant(base.at)
  const tolerance = request.risk_policy?.tolerance ?? "MEDIUM"
  const supplier = supplierFacts(
    { index: sources.index(), registers, suppressions: suppressions(), tolerance, at },
    request.company,
    { identifiers: recorded, names: [] },
  )
  if (named(request.company, supplier.registration).legal_name === undefined) {
    throw sourceFailed(usSourceStates(context, request, at), "COMPANY_REGISTER", "UNAVAILABLE")
  }
  return {
    ...base,
    sources: sources.states(at).flatMap((state) => {
      const fact = sourceFact(state, requestStaleAt(state, request.freshness_requirements.max_age_seconds) ?? at)
      return fact ? [fact] : []
    }),
    ...supplier,
  }
}
