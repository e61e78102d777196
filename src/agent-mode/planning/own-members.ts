/** The members that only one of the planning routes answers. Pure. */
import type { PlanningOperationId, PlanningOutcome } from "../../../schemas/agent-mode/planning.ts"
import type { ExactQuote, RankedRoute } from "../../../schemas/agent-mode/planning-results.ts"
import { digestOf } from "../../core/digest.ts"
import type { PlanningCatalogue } from "./planning-catalogue.ts"
import { type PlannedIntent, priceOf } from "./result.ts"

type Members = (planned: PlannedIntent, catalogue: PlanningCatalogue) => object

export const OWN_MEMBERS: Readonly<Record<PlanningOperationId, Members>> = {
  free_agent_preflight: () => ({}),
  get_autonomous_readiness: ({ outcome }) => ({
    readiness: outcome === "SUPPORTED" ? "READY" : outcome === "NEEDS_INPUT" ? "NEEDS_INPUT" : "BLOCKED",
  }),
  get_exact_agent_quote: (planned) => ({ quote: exactQuote(planned) }),
  select_best_valid_route: (planned, catalogue) => {
    const ranked = rankedRoutes(planned, catalogue)
    const best = ranked.find(({ valid }) => valid)
    return {
      selected_route: best ? { kind: best.kind, operation_id: best.operation_id } : null,
      ranked_routes: ranked,
    }
  },
  preview_evidence_reuse: ({ line, references }) => {
    const price = line?.price.amountAtomic ?? "0"
    const isBought = line?.isPaid === true && !references.reusable.some(({ effect }) => effect === "REPLACES_PURCHASE")
    return {
      ...references,
      acquisition_delta: {
        items: isBought && line.productId ? [{ product_id: line.productId, price_atomic: price }] : [],
        total_atomic: isBought ? price : "0",
        without_reuse_atomic: price,
      },
    }
  },
}

/** CHOICE: with these nothing would be bought now, so there is no price to quote. */
const UNQUOTED: readonly PlanningOutcome[] = [
  "NOT_IMPLEMENTED",
  "UNSUPPORTED",
  "REUSE_AVAILABLE",
  "SOURCE_UNAVAILABLE",
  "SOURCE_STALE",
  "NOT_SOLD_NOW",
]

function exactQuote({ outcome, line, body }: PlannedIntent): ExactQuote | null {
  if (!line || UNQUOTED.includes(outcome)) return null
  const quote = {
    product_id: line.productId,
    ...priceOf(line),
    scheme: line.isPaid ? "exact" : null,
    body_digest: body.input_digests[""] ?? null,
    deterministic: true,
    reservation: false,
    not_a_charge: true,
  } as const
  return { ...quote, quote_digest: digestOf(quote) }
}

function rankedRoutes({ line, outcome, reasonCodes, references }: PlannedIntent, catalogue: PlanningCatalogue) {
  if (!line) return []
  const route = (kind: RankedRoute["kind"], price_atomic: string, valid: boolean): RankedRoute => ({
    kind,
    operation_id: line.operation.id,
    price_atomic,
    valid,
    reason_codes: valid ? [] : [...reasonCodes],
  })
  const { amountAtomic } = line.price
  const isSupported = outcome === "SUPPORTED"
  const isReplaced = references.reusable.some(({ effect }) => effect === "REPLACES_PURCHASE")
  const routes = line.isPaid
    ? [
        ...(isReplaced ? [route("REUSE", "0", true)] : []),
        route("X402_HTTP", amountAtomic, isSupported),
        ...(catalogue.byId.has("agent_mcp") ? [route("X402_MCP", amountAtomic, isSupported)] : []),
      ]
    : [route("FREE_HTTP", "0", isSupported)]
  return routes.toSorted(byRank)
}

/** Valid first, then price, operation and kind. */
function byRank(a: RankedRoute, b: RankedRoute): number {
  if (a.valid !== b.valid) return a.valid ? -1 : 1
  const [x, y] = [BigInt(a.price_atomic), BigInt(b.price_atomic)]
  if (x !== y) return x < y ? -1 : 1
  const [p, q] = [`${a.operation_id} ${a.kind}`, `${b.operation_id} ${b.kind}`]
  return p < q ? -1 : p > q ? 1 : 0
}
