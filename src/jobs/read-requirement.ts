/** Reads one message as a requirement. Pure. */
import { AcpOfferingRequirement, type AcpRequirement, type AcpRequirementDraft } from "../../schemas/acp/requirement.ts"
import { ACP_REQUIREMENT_BYTES_MAX } from "../../schemas/acp/terms.ts"
import { atFirstUse } from "../core/at-first-use.ts"
import { canonicalBytes } from "../core/canonical-json.ts"
import { compiledAtFirstUse } from "../core/compiled-at-first-use.ts"
import type { SensitiveFault } from "../core/sensitive/find-in-text.ts"
import { DraftSearch } from "../core/sensitive/sensitive-draft.ts"
import { sensitiveMembers } from "../core/sensitive/sensitive-members.ts"
import { jsonOrUndefined } from "../core/strict-json.ts"
import type { Offering } from "./deps.ts"

type Reading =
  | { readonly kind: "draft" }
  | { readonly kind: "final"; readonly requirement: AcpRequirement }
  | { readonly kind: "faulty"; readonly code: RequirementFault; readonly pointers: readonly string[] }

export type RequirementFault =
  | "REQUIREMENT_TOO_LARGE"
  | "REQUIREMENT_NOT_JSON"
  | "REQUIREMENT_SCHEMA"
  | "SECRET"
  | "RAW_BANK_DATA"
  | "OFFERING_DIFFERS"

const schema = compiledAtFirstUse(AcpOfferingRequirement)
const sensitive = atFirstUse(() => sensitiveMembers(AcpOfferingRequirement, { bankData: true }))

/** `text`: the content of a message, as the hub gave it. */
export function readRequirement(text: string, offering: Offering): Reading {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length > ACP_REQUIREMENT_BYTES_MAX) return faulty("REQUIREMENT_TOO_LARGE")
  const value: unknown = jsonOrUndefined(bytes)
  if (value === undefined) return faulty("REQUIREMENT_NOT_JSON")
  if (!schema().Check(value)) {
    const secrets = new DraftSearch({ bankData: false }).faultsOf(AcpOfferingRequirement, value)
    return sensitiveReading(secrets) ?? faulty("REQUIREMENT_SCHEMA")
  }
  const requirement = value as AcpRequirement | AcpRequirementDraft
  if (canonicalBytes(requirement).length > ACP_REQUIREMENT_BYTES_MAX) return faulty("REQUIREMENT_TOO_LARGE")
  const held = sensitiveReading(sensitive()(requirement))
  if (held) return held
  if (!isOurOffering(requirement, offering)) return faulty("OFFERING_DIFFERS")
  return isFinal(requirement) ? { kind: "final", requirement } : { kind: "draft" }
}

function isFinal(requirement: AcpRequirement | AcpRequirementDraft): requirement is AcpRequirement {
  return requirement.buyer_authorization !== null
}

function isOurOffering({ channel, offering }: AcpRequirement | AcpRequirementDraft, ours: Offering): boolean {
  return (
    channel === ours.channel &&
    offering.id === ours.offeringId &&
    offering.escrow_contract.toLowerCase() === ours.contract &&
    offering.provider_address.toLowerCase() === ours.provider
  )
}

function faulty(code: RequirementFault, pointers: readonly string[] = []): Reading {
  return { kind: "faulty", code, pointers }
}

const BANK_DATA: ReadonlySet<SensitiveFault["kind"]> = new Set(["IBAN", "CARD_NUMBER", "UK_ACCOUNT"])

/** Null if nothing was found. A secret is named before bank data. */
function sensitiveReading(faults: readonly SensitiveFault[]): Reading | null {
  if (faults.length === 0) return null
  const code = faults.every(({ kind }) => BANK_DATA.has(kind)) ? "RAW_BANK_DATA" : "SECRET"
  return faulty(
    code,
    faults.map(({ pointer }) => pointer),
  )
}

/** What the buyer is told of a faulty requirement. */
export function faultDetail(code: RequirementFault, pointers: readonly string[]): string {
  const named = pointers.slice(0, POINTERS_MAX).filter((pointer) => pointer !== "")
  return DETAILS[code] + (named.length === 0 ? "" : ` (${named.join(", ")})`)
}

/** Most places that one message names. */
const POINTERS_MAX = 8

const DETAILS: Readonly<Record<RequirementFault, string>> = {
  REQUIREMENT_TOO_LARGE: `A requirement has at most ${ACP_REQUIREMENT_BYTES_MAX} bytes.`,
  REQUIREMENT_NOT_JSON: "The requirement is not strict JSON. Send the text that bindRequirement made, as one message.",
  REQUIREMENT_SCHEMA: "The requirement does not match envelope version 4. bizauth agent job schema prints its schema.",
  SECRET:
    "The requirement has a secret: a key, a seed phrase or a token. Treat it as compromised, and send a digest or a reference instead.",
  RAW_BANK_DATA: "The requirement has raw bank data. Send a fingerprint or an opaque reference instead.",
  OFFERING_DIFFERS:
    "Channel, offering id, provider or escrow contract differ from this offering. Read them from contact.",
}

export const REQUIREMENT_FAULTS = Object.keys(DETAILS) as readonly RequirementFault[]
