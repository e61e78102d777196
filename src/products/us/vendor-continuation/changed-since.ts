import type { ScreeningFact } from "../../../../schemas/screening-facts.ts"
import type { RegisterLookup, RegistrationFact } from "../../../../schemas/us/registration-fact.ts"
import type {
  ChangeSince,
  ContinuedAuthorization,
  RegisteredThen,
  VendorContinuationFacts,
} from "../../../../schemas/us/vendor-continuation.ts"

/** Returns the differences between the lists and registers of the earlier authorization and those of now. Pure, in a fixed order. */
export function changedSince(then: ContinuedAuthorization, now: VendorContinuationFacts): ChangeSince[] {
  return [
    ...listVersions(then, now),
    ...screeningChanges(then.screening, now.screening),
    ...registrationChanges(then.registrations, now.registration),
  ]
}

function listVersions(then: ContinuedAuthorization, now: VendorContinuationFacts): ChangeSince[] {
  const before = new Map(then.lists.map(({ source_id: id, source_version: version }) => [id, version]))
  const after = new Map(now.sources.map(({ source_id: id, source_version: version }) => [id, version]))
  return [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .flatMap((id) => change("LIST_VERSION", id, before.get(id) ?? null, after.get(id) ?? null))
}

function screeningChanges(then: ContinuedAuthorization["screening"], now: ScreeningFact): ChangeSince[] {
  const before = new Set(then.entries.map(({ source_id: id, entry_id: entry }) => `${id}\n${entry}`))
  const after = new Set(now.hits.map(({ source_id: id, entry_id: entry }) => `${id}\n${entry}`))
  const entries = [...new Set([...before, ...after])].sort().flatMap((key) => {
    const [id = "", entry = ""] = key.split("\n")
    return change("LISTED_ENTRY", id, before.has(key) ? entry : null, after.has(key) ? entry : null)
  })
  return [
    ...change("SCREENING_STATE", null, then.state, now.state),
    ...entries,
    ...change("SCORER_VERSION", null, then.scorer_version, now.scorer_version),
  ]
}

/** Compares by identifier. An identifier without a look-up then or now is skipped. */
function registrationChanges(then: readonly RegisteredThen[], now: RegistrationFact | null): ChangeSince[] {
  return then.flatMap((before) => {
    const after = now?.lookups?.find(({ scheme, value }) => scheme === before.scheme && value === before.value)
    return after ? lookupChanges(before, after) : []
  })
}

function lookupChanges(then: RegisteredThen, now: RegisterLookup): ChangeSince[] {
  const id = now.source_id
  return [
    ...change("REGISTRATION_FOUND", id, yesOrNo(then.found), yesOrNo(now.found)),
    ...change("REGISTERED_NAME", id, then.registered_name, now.registered_name),
    ...change("REGISTERED_NAME_AGREES", id, yesOrNo(then.name_agrees), yesOrNo(now.name_agrees)),
    ...change("REGISTRATION_STATUS", id, then.status, now.status),
    ...change("REGISTRATION_CURRENT", id, yesOrNo(then.is_current), yesOrNo(now.is_current)),
  ]
}

function yesOrNo(value: boolean | null): string | null {
  return value === null ? null : value ? "YES" : "NO"
}

function change(
  what: ChangeSince["what"],
  source: string | null,
  before: string | null,
  after: string | null,
): ChangeSince[] {
  return before === after ? [] : [{ what, source_id: source, before, after }]
}
