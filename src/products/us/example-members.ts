/** Members that the example bodies of the US routes share. Companies, wallets and references are invented. */
import type { BindingEvidence, ChangeChallenge } from "../../../schemas/caller-evidence.ts"
import { BASE_NETWORK } from "../../../schemas/network.ts"
import type { UsOperationRequest } from "../../../schemas/us/operation-request.ts"
import type { Destination, Invoice } from "../../../schemas/us/payment-decision.ts"
import { fingerprint } from "../../checks/policy/digests.ts"
import { digestOf } from "../../core/digest.ts"
import { DAY, formatInstant, HOUR, MINUTE } from "../../core/time.ts"
import type { ExampleCall } from "../common/example-call.ts"

export const EXAMPLE_COMPANY = { legal_name: "Harbor Light Instruments LLC", identifiers: { uei: "ZQGGHJH74DW7" } }
export const EXAMPLE_BUYER = {
  organization_id: "org:example:acme",
  organization_digest: digestOf({ name: "Acme Example Inc." }),
}
export const EXAMPLE_INVOICE: Invoice = { obligation_id: "INV-2026-0042", document_digest: digestOf("invoice 42") }
/** No answer has this execution id. */
export const EXAMPLE_EXECUTION = `exe_${"A".repeat(22)}`

export function usExample({ at, key }: ExampleCall): UsOperationRequest {
  return {
    schema_version: "1.0.0",
    idempotency_key: key,
    jurisdiction: "US",
    coverage: "FEDERAL_ONLY",
    company: EXAMPLE_COMPANY,
    freshness_requirements: exampleFreshness(at),
    correlation: { correlation_id: "po-1", trace_id: "run-1" },
  }
}

/** Two days, because the publishers' lists change at most once a day. */
export function exampleFreshness(at: number) {
  return { max_age_seconds: 172_800, evaluated_at: formatInstant(at) }
}

/** A wallet on Base that belongs to nobody, with its fingerprint. */
export function exampleDestination(value = `0x${"Ab".repeat(20)}`): Destination {
  const content = { type: "WALLET", value, provider_namespace: BASE_NETWORK } as const
  return { ...content, fingerprint: fingerprint(content) }
}

/** Verified an hour earlier, valid for a month. */
export function exampleBinding(at: number): BindingEvidence {
  return {
    type: "CALL_BACK_TO_KNOWN_NUMBER",
    verified_at: formatInstant(at - HOUR),
    valid_until: formatInstant(at + 30 * DAY),
    reference: "callback-2026-0042",
  }
}

/** Made a minute earlier, valid for most of a day. */
export function exampleChallenge(at: number, reference: string): ChangeChallenge {
  return {
    type: "CALL_BACK_TO_KNOWN_NUMBER",
    verified_at: formatInstant(at - MINUTE),
    valid_until: formatInstant(at + 20 * HOUR),
    reference,
  }
}
