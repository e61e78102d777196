/**
 * Completes a draft for a rehearsal. Pure.
 *
 * CHOICE: the agent, its key, the buyer, the mandate, the fee payer and the time are always those of the sandbox, also where the draft
 * states them, because nobody's private key is here. The report names what was replaced. Everything else that the draft states stays as it
 * is.
 */
import type { Destination } from "../../../schemas/us/payment-decision.ts"
import { type FieldError, ServiceError } from "../../base/errors.ts"
import { fingerprint } from "../../checks/policy/digests.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { isObject, type JsonValue } from "../../core/strict-json.ts"
import { formatInstant } from "../../core/time.ts"
import type { ExampleParts } from "../../products/common/listed-product.ts"
import { PRODUCTS, type Product } from "../../products/products.ts"
import { fillRequired, type Members, type ObjectSchema } from "./fill-required.ts"

interface DraftParts extends Omit<ExampleParts, "companyNumber" | "mandate"> {
  readonly buyer: { readonly organizationId: string; readonly organizationDigest: string }
  /** Address of the wallet that pays in the sandbox. */
  readonly payer: string
}

export interface CompletedDraft {
  readonly product: Product
  /** Without mandate; its signature is missing where the product has one. */
  readonly body: Members
  /** Pointers of what the draft lacks and the sandbox made up. */
  readonly madeUp: readonly string[]
  /** Pointers of what the draft states and the sandbox replaced. */
  readonly replaced: readonly string[]
}

const DESTINATIONS = ["payee", "payment_destination"] as const

/** Throws SCHEMA_INVALID for a draft without its party. The product's own route finds every other fault. */
export function completeDraft(product: Product, draft: Members, parts: DraftParts): CompletedDraft {
  requireParty(product, draft)
  const companyNumber = draft["company_number"]
  const example = product.example({
    ...parts,
    mandate: null,
    companyNumber: typeof companyNumber === "string" ? companyNumber : undefined,
  })
  const members = membersOf(product)
  const own = ownMembers(parts, example as Members)
  const [settled, replaced] = withOwn(withoutMandate(draft), own, members)
  const { value, pointers } = fillRequired(
    product.paid.body as ObjectSchema,
    withDestinations(settled, members),
    example as Members,
  )
  return {
    product,
    body: value,
    madeUp: [
      ...Object.keys(own).flatMap((name) => (name in draft || !members.has(name) ? [] : [`/${name}`])),
      ...pointers,
    ],
    replaced: draft["buyer_mandate"] === undefined ? replaced : [...replaced, "/buyer_mandate"],
  }
}

/** Returns the one product that the draft can be of. Throws SCHEMA_INVALID if it is none, and if it fits several. */
export function productOfDraft(draft: Members): Product {
  const fitting = PRODUCTS.filter((product) => {
    const members = membersOf(product)
    return Object.keys(draft).every((name) => members.has(name)) && missingParty(product, draft).length === 0
  })
  const [only] = fitting
  if (only && fitting.length === 1) return only
  const ids = (only ? fitting : PRODUCTS).map(({ id }) => id).join(", ")
  throw new ServiceError(
    "SCHEMA_INVALID",
    only
      ? `The draft fits several products. Name one: ${ids}.`
      : `The draft has the party and the members of no product. Name the one that is meant: ${ids}.`,
  )
}

function requireParty(product: Product, draft: Members): void {
  const missing = missingParty(product, draft)
  if (missing.length === 0) return
  throw new ServiceError("SCHEMA_INVALID", "A rehearsal makes up much, but never the party that it is about.", {
    errors: missing.map(
      (pointer): FieldError => ({ pointer, code: "REQUIRED", expected: "what names the party of the request" }),
    ),
  })
}

function missingParty({ party }: Product, draft: Members): string[] {
  return party.filter((pointer) => valueAt(draft, pointer) === undefined)
}

function valueAt(draft: Members, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = draft as JsonValue
  for (const name of pointer.slice(1).split("/")) value = isObject(value) ? value[name] : undefined
  return value
}

function membersOf({ paid }: Product): ReadonlySet<string> {
  return new Set(Object.keys((paid.body as ObjectSchema).properties ?? {}))
}

/** The members that a rehearsal decides itself, as far as the product has them. */
function ownMembers({ agent, audience, buyer, payer, call }: DraftParts, example: Members): Members {
  const freshness = example["freshness_requirements"]
  return {
    requesting_agent: { agent_id: agent.issuer, key_id: agent.keyId, request_signature: "unsigned" },
    buyer: { organization_id: buyer.organizationId, organization_digest: buyer.organizationDigest },
    decision_fee_payer: payer,
    audience,
    ...(isObject(freshness) && {
      freshness_requirements: { ...freshness, evaluated_at: formatInstant(call.at) },
    }),
  }
}

/** Returns the draft with its own members replaced, and the pointers of those that were different. */
function withOwn(draft: Members, own: Members, members: ReadonlySet<string>): [Members, string[]] {
  const value: Record<string, JsonValue> = { ...draft }
  const replaced: string[] = []
  for (const [name, made] of Object.entries(own)) {
    if (!members.has(name)) continue
    const given = draft[name]
    if (name === "freshness_requirements" && isObject(given) && isObject(made)) {
      const { evaluated_at } = made
      value[name] = { ...given, evaluated_at: evaluated_at ?? null }
      if (given["evaluated_at"] !== undefined) replaced.push(`/${name}/evaluated_at`)
      continue
    }
    value[name] = made
    if (given !== undefined && canonicalize(given) !== canonicalize(made)) replaced.push(`/${name}`)
  }
  return [value, replaced]
}

function withoutMandate(draft: Members): Members {
  const { buyer_mandate: _, ...rest } = draft
  return rest
}

/** Computes a missing fingerprint of a stated destination. The one destination that a draft states is also the other. */
function withDestinations(draft: Members, members: ReadonlySet<string>): Members {
  if (!members.has("payment_destination")) return draft
  const stated = { ...draft }
  for (const name of DESTINATIONS) {
    const given = stated[name]
    if (isObject(given)) stated[name] = withFingerprint(given)
  }
  const payee = stated["payee"] ?? stated["payment_destination"]
  if (payee === undefined) return stated
  return { payee, payment_destination: payee, ...stated }
}

function withFingerprint(given: Members): Members {
  const { type, value, provider_namespace: namespace } = given
  if (given["fingerprint"] !== undefined || typeof type !== "string" || typeof value !== "string") return given
  const content = { type: type as Destination["type"], value }
  return {
    ...given,
    fingerprint: fingerprint(typeof namespace === "string" ? { ...content, provider_namespace: namespace } : content),
  }
}
