/** Members that several documents of the discovery set have. */
import { type Static, Type } from "@sinclair/typebox"
import { Amount, AtomicAmount, closed, enumeration } from "../common.ts"
import { text } from "../text.ts"

/** `authentication` of a row, and the scheme that the interface reserves for agents' signatures. */
export const Authentication = enumeration(
  "NONE",
  "X402",
  "REQUEST_SIGNATURE",
  "OWNER_SIGNATURE",
  "MANDATE_KEY",
  "EXECUTION_ID",
  "TOKEN",
  "AGENT_ED25519",
)

export const Lifecycle = enumeration("ACTIVE", "IMPLEMENTED_FLAG_OFF")
export const Method = enumeration("GET", "POST")

/** Path of a route, with `{name}` for a parameter. */
export const RoutePath = text(1, 512, { pattern: "^/[!-~]*$" })
/** Printable ASCII, so that it can be shown on any terminal. */
export const Name = text(1, 160, { pattern: "^[ -~]+$" })
export const NameOrNull = Type.Union([Name, Type.Null()])

export const Jurisdiction = enumeration("GB", "US")

/** `amount` in units of the asset, `amount_atomic` in its smallest units. */
export const Price = closed({ amount: Amount, amount_atomic: AtomicAmount, asset: Name })
export type Price = Static<typeof Price>

/** The products that one coverage limits. */
export const CoverageLine = closed({
  jurisdiction: Jurisdiction,
  coverage: Name,
  product_ids: Type.Array(Name, { minItems: 1 }),
})
export type CoverageLine = Static<typeof CoverageLine>

/** An index that others run. A document of this service never proves that the service is listed there (Interface, rule 9). */
export const ExternalIndexChannel = closed({
  channel: Name,
  proof: Type.Literal("REQUIRES_INDEPENDENT_EXTERNAL_PROOF"),
})
export type ExternalIndexChannel = Static<typeof ExternalIndexChannel>
