/** Reads one message as a requirement. Pure. */
import { AcpOfferingRequirement, type AcpRequirement, type AcpRequirementDraft } from "../../schemas/acp/requirement.ts"
import { ACP_REQUIREMENT_BYTES_MAX } from "../../schemas/acp/terms.ts"
import { atFirstUse } from "../core/at-first-use.ts"
import { bankDataFaults } from "../core/bank-data/bank-data-members.ts"
import { canonicalBytes } from "../core/canonical-json.ts"
import { compiledAtFirstUse } from "../core/compiled-at-first-use.ts"
import { readJson, StrictJsonError } from "../core/strict-json.ts"
import type { Offering } from "./deps.ts"

export type Reading =
  | { readonly kind: "draft" }
  | { readonly kind: "final"; readonly requirement: AcpRequirement }
  | { readonly kind: "faulty"; readonly code: RequirementFault }

export type RequirementFault =
  | "REQUIREMENT_TOO_LARGE"
  | "REQUIREMENT_NOT_JSON"
  | "REQUIREMENT_SCHEMA"
  | "RAW_BANK_DATA"
  | "OFFERING_DIFFERS"

const schema = compiledAtFirstUse(AcpOfferingRequirement)
const bankData = atFirstUse(() => bankDataFaults(AcpOfferingRequirement))

/** `text`: the content of a message, as the hub gave it. */
export function readRequirement(text: string, offering: Offering): Reading {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length > ACP_REQUIREMENT_BYTES_MAX) return faulty("REQUIREMENT_TOO_LARGE")
  let value: unknown
  try {
    value = readJson(bytes)
  } catch (error) {
    if (error instanceof StrictJsonError) return faulty("REQUIREMENT_NOT_JSON")
    throw error
  }
  if (!schema().Check(value)) return faulty("REQUIREMENT_SCHEMA")
  const requirement = value as AcpRequirement | AcpRequirementDraft
  if (canonicalBytes(requirement).length > ACP_REQUIREMENT_BYTES_MAX) return faulty("REQUIREMENT_TOO_LARGE")
  if (bankData()(requirement).length > 0) return faulty("RAW_BANK_DATA")
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

function faulty(code: RequirementFault): Reading {
  return { kind: "faulty", code }
}

/** What the buyer is told of a faulty requirement. */
export const FAULT_DETAILS: Readonly<Record<RequirementFault, string>> = {
  REQUIREMENT_TOO_LARGE: `A requirement has at most ${ACP_REQUIREMENT_BYTES_MAX} bytes.`,
  REQUIREMENT_NOT_JSON: "The requirement is not strict JSON. Send the text that bindRequirement made, as one message.",
  REQUIREMENT_SCHEMA: "The requirement does not match envelope version 4. bizauth agent job schema prints its schema.",
  RAW_BANK_DATA: "The requirement has raw bank data. Send a fingerprint or an opaque reference instead.",
  OFFERING_DIFFERS:
    "Channel, offering id, provider or escrow contract differ from this offering. Read them from contact.",
}
