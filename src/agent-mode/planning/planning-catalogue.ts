/** The needs that a caller can plan, from the served rows. Pure. */
import type { MissingInput } from "../../../schemas/agent-mode/planning.ts"
import type { Intent, Operation, PlanningNeed, SoldProduct } from "../../../schemas/operation.ts"
import { type Digest, digestOf } from "../../core/digest.ts"
import { amountMillionths } from "../../core/money.ts"
import { type BodyInputs, bodyInputs, providersOf } from "./body-inputs.ts"
import { supplierOf } from "./input-suppliers.ts"

export interface PlanningInput {
  /** How a plan names the input if nothing provides it. */
  readonly missing: MissingInput
  /** Each of these pointers provides it. */
  readonly providers: readonly string[]
}

export interface PlanningLine {
  readonly operation: Operation
  /** Of the paid row, or of the product that a free row is part of. */
  readonly productId: string | null
  readonly isPaid: boolean
  /** Null: any. */
  readonly jurisdiction: SoldProduct["jurisdiction"] | null
  readonly coverage: string | null
  readonly needs: readonly PlanningNeed[]
  readonly admits: BodyInputs["admits"]
  /** In the order of the operation's schema. */
  readonly inputs: readonly PlanningInput[]
  readonly price: {
    readonly amount: string
    readonly amountAtomic: string
    readonly asset: string
    /** CAIP-2 id of the chain. Null for a free row. */
    readonly network: string | null
  }
}

export interface PlanningCatalogue {
  /** Several rows may meet one need; the first is meant unless the caller names a product. */
  readonly byIntent: ReadonlyMap<string, readonly PlanningLine[]>
  readonly byId: ReadonlyMap<string, Operation>
  readonly byPath: ReadonlyMap<string, Operation>
  /** Of every member that a plan is made from. */
  readonly digest: Digest
}

const NO_CHARGE = { amount: "0", amountAtomic: "0", asset: "N/A_NO_CHARGE", network: null } as const

/** `network`: CAIP-2 id of the chain on which callers pay. */
export function planningCatalogue(operations: readonly Operation[], network: string): PlanningCatalogue {
  const byIntent = new Map<string, PlanningLine[]>()
  for (const operation of operations) {
    for (const intent of intentsOf(operation)) {
      const lines = byIntent.get(intent.name) ?? []
      byIntent.set(intent.name, [...lines, planningLine(operation, intent, network)])
    }
  }
  return {
    byIntent,
    byId: new Map(operations.map((row) => [row.id, row])),
    byPath: new Map(operations.map((row) => [row.path, row])),
    digest: digestOf(
      operations.map((row) => ({
        id: row.id,
        method: row.method,
        path: row.path,
        price: row.price,
        product: row.product ?? row.partOf ?? null,
        intents: intentsOf(row).map((intent) => ({
          name: intent.name,
          needs: intent.planning ?? [],
          inputs: bodyInputs(row, intent.chosenBy).leaves,
        })),
      })),
    ),
  }
}

function intentsOf({ intent, furtherIntents = [] }: Operation): readonly Intent[] {
  return intent ? [intent, ...furtherIntents] : furtherIntents
}

function planningLine(operation: Operation, { planning = [], chosenBy }: Intent, network: string): PlanningLine {
  const { product, partOf, price } = operation
  const own = product ?? partOf
  const isPaid = product !== undefined && price !== null
  const { leaves, admits } = bodyInputs(operation, chosenBy)
  return {
    operation,
    productId: own?.id ?? null,
    isPaid,
    jurisdiction: own && own.jurisdiction !== "GLOBAL" ? own.jurisdiction : countryOf(operation.path),
    coverage: own && own.jurisdiction !== "GLOBAL" ? own.coverage : null,
    needs: planning,
    admits,
    inputs: leaves.map(planningInput),
    price: isPaid
      ? { amount: price.amount, amountAtomic: amountMillionths(price.amount).toString(), asset: price.asset, network }
      : NO_CHARGE,
  }
}

function planningInput(pointer: string): PlanningInput {
  return { missing: { pointer, supplied_by: supplierOf(pointer) }, providers: providersOf(pointer) }
}

/** Of a row without a product. */
function countryOf(path: string): SoldProduct["jurisdiction"] | null {
  if (path.startsWith("/v1/us/")) return "US"
  return path.startsWith("/v1/gb/") ? "GB" : null
}
