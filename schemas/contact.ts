/**
 * Contact: what a draft of a paid product's request lacks, and how to complete and buy it. Every product has the same request and the same
 * reply, so that an agent reads one form.
 */
import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox"
import { closed, DateTime, digestOver, enumeration } from "./common.ts"
import { DRAFT_OF } from "./hints.ts"
import { operation, type SoldProduct } from "./operation.ts"

const False = Type.Literal(false)
const Zero = Type.Literal("0")
const Texts = Type.Array(Type.String())

/**
 * CHOICE: a draft is an open object, because a draft may have any fault. Its members are checked against the schema of the product, which
 * `input_schema` of the reply names.
 */
export function draftOf(request: TSchema): TObject {
  return Type.Object(
    {},
    {
      description: "Any draft; GET {paid path}/schema",
      [DRAFT_OF]: request,
    },
  )
}

const Route = { method: enumeration("GET", "POST"), uri: Type.String() }

/** `path`: RFC 6901 pointer into `draft_request`. `expected`: allowed values, pattern or bounds, in words. */
const InvalidInput = closed({
  path: Type.String(),
  code: enumeration(
    "TYPE",
    "CONST",
    "ENUM",
    "ALTERNATIVES",
    "PATTERN",
    "MIN",
    "MAX",
    "FORMAT",
    "UNIQUE",
    "MEMBER_NAME",
    "UNKNOWN_MEMBER",
  ),
  expected: Type.String(),
})

export const PurchaseStep = closed({
  n: Type.Integer({ minimum: 1 }),
  id: Type.String(),
  ...Type.Partial(Type.Object(Route)).properties,
  instruction: Type.String(),
})
export type PurchaseStep = Static<typeof PurchaseStep>

/** What every way to buy states. `steps` are in the order to take them. */
export const railMembers = {
  channel_available: Type.Boolean(),
  amount: Type.String(),
  amount_atomic: Type.String(),
  asset: Type.Literal("USDC"),
  network: Type.String(),
  steps: Type.Array(PurchaseStep),
}

export const X402Rail = closed(railMembers)
export type X402Rail = Static<typeof X402Rail>

/** Members of every reply. The lists name at most 200 inputs, missing ones first; `inputs_omitted` counts the rest. */
export const contactMembers = {
  schema_version: Type.Literal("1.0.0"),
  product: Type.String(),
  status: enumeration("INPUT_REQUIRED", "INPUT_COMPLETE"),
  request_digest: digestOver("C14N of the draft"),
  missing_input_paths: Texts,
  missing_one_of: Type.Array(Type.String(), { description: "One is needed" }),
  invalid_inputs: Type.Array(InvalidInput),
  inputs_omitted: Type.Integer({ minimum: 0 }),
  input_schema: closed({ uri: Type.String(), digest: digestOver("C14N of the schema of the request") }),
  eligibility_checks: Type.Array(closed({ name: Type.String(), ...Route, charge: Zero })),
  economic_activity: closed({ charged: False, quote_created: False, settlement_created: False }),
  limitations: Texts,
  valid_as_of: DateTime,
  next_machine_action: Type.String(),
}

export const ContactAnswer = closed(
  { ...contactMembers, purchase: closed({ x402: X402Rail }) },
  { $id: "ContactAnswer" },
)
export type ContactAnswer = Static<typeof ContactAnswer>

/** What all contact rows have. The requests of one client address share one budget. */
export const CONTACT_ROW = {
  authentication: "NONE",
  lifecycle: "ACTIVE",
  price: null,
  cors: "NONE",
  bankData: "REFUSED",
  rateLimit: { group: "contact", perMinute: 30 },
} as const

const ContactDraft = { $id: "ContactDraft" }

/** Returns the contact operation of a paid one. Its id contains the id of the paid operation. */
export function contactOperation(paid: {
  readonly id: string
  readonly path: string
  readonly body: TObject
  readonly product?: SoldProduct
}) {
  return operation({
    id: `${paid.id}_contact`,
    method: "POST",
    path: `${paid.path}/contact`,
    summary: "What a draft lacks, and how to buy",
    body: closed({ draft_request: Type.Optional(draftOf(paid.body)) }, ContactDraft),
    exampleBody: { draft_request: {} },
    responses: { 200: { description: "What is missing, and how to buy", schema: ContactAnswer } },
    ...CONTACT_ROW,
    ...(paid.product && { partOf: paid.product }),
  })
}
