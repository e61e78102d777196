import type { ScreeningFact, ScreeningState } from "../../../schemas/screening-facts.ts"
import type { RegistrationFact } from "../../../schemas/us/registration-fact.ts"
import type { ContinuedAuthorization, RegisteredThen } from "../../../schemas/us/vendor-continuation.ts"
import { found, type GateFindings, waived } from "../policy/gate.ts"
import { type Finding, finding, findings } from "../policy/origins.ts"
import { type PolicyReason, reasonRow } from "../policy/policy.ts"
import { judgeRecorded, type SupplierFacts } from "./recorded-supplier.ts"

/** The screening gate itself reports a program condition. It does not revoke the earlier authorization. */
const STILL_SUPPORTED: readonly ScreeningState[] = ["CLEAR", "PROGRAM_CONDITION"]

/** `prior` is the latest earlier authorization of the same supplier, screened again against the list versions of this decision. */
export function continuationGate(prior: { readonly screening: ScreeningFact } | null): GateFindings {
  if (prior === null) return waived("NO_PRIOR_AUTHORIZATION")
  return found([!STILL_SUPPORTED.includes(prior.screening.state) && "PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED"])
}

interface ContinuedCompany extends SupplierFacts {
  /** The strongest checked identifier. */
  readonly subject: string
  /** Normalised legal name, or "" if there is none. */
  readonly nameKey: string
}

/**
 * Compares an authorization that the caller names with today's facts. It is no longer supported if something it relied on is gone: the
 * clean screening, the matching registration, or its holder's own consent.
 */
export function namedAuthorizationGate(company: ContinuedCompany, prior: ContinuedAuthorization | null): GateFindings {
  const [reference] = namedAuthorizationFindings(company, prior)
  if (prior === null || reference) return found([reference?.code ?? false])
  const screenedThen = STILL_SUPPORTED.includes(prior.screening.state)
  return judgeRecorded(company, ({ screening, registration }) => {
    const isLost = prior.registrations.some((then) => isRegistrationLost(then, registration))
    return found([
      ...(screenedThen ? continuationGate({ screening }).codes : []),
      isLost && "PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED",
    ])
  })
}

/** The members of an authorization that say whether a request can name it. */
export type NamedPrior = Pick<ContinuedAuthorization, "subject" | "name_key" | "withdrawn" | "vouches">

/** The findings of the gate that are never sold: the reference names no authorization, one of another party, or one that was taken back. */
export function namedAuthorizationFindings(
  { subject, nameKey }: Pick<ContinuedCompany, "subject" | "nameKey">,
  prior: NamedPrior | null,
): Finding[] {
  if (prior === null) return [finding("PRIOR_AUTHORIZATION_NOT_FOUND")]
  // CHOICE: the same identifier under another legal name is another party, as in a Payment Decision.
  const otherName = prior.name_key !== "" && nameKey !== "" && prior.name_key !== nameKey
  const isSameSupplier = prior.vouches ?? prior.subject === subject
  if (!isSameSupplier || otherName) return [finding("PRIOR_AUTHORIZATION_DIFFERS")]
  return findings(prior.withdrawn && finding("PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED", "OWN_RECORDS"))
}

/** A register that is unavailable today revokes nothing. A register that answers and disagrees does. */
function isRegistrationLost(then: RegisteredThen, registration: RegistrationFact | null): boolean {
  if (!then.found || !then.name_agrees) return false
  const now = registration?.lookups?.find(({ scheme, value }) => scheme === then.scheme && value === then.value)
  return now !== undefined && (!now.found || !now.name_agrees)
}

/** Rows in order of precedence. */
export const CONTINUATION_ROWS: readonly PolicyReason[] = [
  reasonRow(
    "PRIOR_AUTHORIZATION_NOT_FOUND",
    "CONTINUATION",
    "HOLD",
    "REFERENCE_PRIOR_AUTHORIZATION",
    "The reference names no authorization of this vendor that was given to this payer.",
  ),
  reasonRow(
    "PRIOR_AUTHORIZATION_DIFFERS",
    "CONTINUATION",
    "HOLD",
    "REVIEW_PRIOR_AUTHORIZATION",
    "The earlier authorization is about another company, or about this one under another legal name.",
  ),
  reasonRow(
    "PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED",
    "CONTINUATION",
    "HOLD",
    "REVIEW_PRIOR_AUTHORIZATION",
    "What the earlier authorization rested on no longer holds, or its holder took it back.",
  ),
]
