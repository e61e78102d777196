/** The needs that a caller can plan, from the served rows. Pure. */
import type { MissingInput } from "../../../schemas/agent-mode/planning.ts"
import type { Intent, Operation, PlanningNeed, SoldProduct } from "../../../schemas/operation.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { type Digest, digestOf } from "../../core/digest.ts"
import { amountMillionths } from "../../core/money.ts"
import { type BodyInputs, bodyInputs, providersOf } from "./body-inputs.ts"
import { supplierOf } from "./input-suppliers.ts"

/** The inputs of an operation, in the order of its schema. */
export interface PlanningInputs {
  /** How a plan names an input that nothing provides. */
  readonly missing: readonly MissingInput[]
  /** Canonical texts of all of `missing`, with a comma after each. A plan has up to a hundred, and they never change. */
  readonly text: string
  /** Where the text of each input begins in `text`; the last is its end. */
  readonly starts: readonly number[]
  /** The places of the inputs that a pointer provides. */
  readonly providedBy: ReadonlyMap<string, readonly number[]>
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
  readonly inputs: PlanningInputs
  readonly price: { readonly amount: string; readonly amountAtomic: string; readonly asset: string }
}

export interface PlanningCatalogue {
  /** Several rows may meet one need; the first is meant unless the caller names a product. */
  readonly byIntent: ReadonlyMap<string, readonly PlanningLine[]>
  readonly byId: ReadonlyMap<string, Operation>
  readonly byPath: ReadonlyMap<string, Operation>
  /** Of every member that a plan is made from. */
  readonly digest: Digest
}

const NO_CHARGE = { amount: "0", amountAtomic: "0", asset: "N/A_NO_CHARGE" } as const

export function planningCatalogue(operations: readonly Operation[]): PlanningCatalogue {
  const byIntent = new Map<string, PlanningLine[]>()
  for (const operation of operations) {
    for (const intent of intentsOf(operation)) {
      const lines = byIntent.get(intent.name) ?? []
      byIntent.set(intent.name, [...lines, planningLine(operation, intent)])
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

function planningLine(operation: Operation, { planning = [], chosenBy }: Intent): PlanningLine {
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
    inputs: planningInputs(leaves),
    price: isPaid
      ? { amount: price.amount, amountAtomic: amountMillionths(price.amount).toString(), asset: price.asset }
      : NO_CHARGE,
  }
}

function planningInputs(leaves: readonly string[]): PlanningInputs {
  const missing = leaves.map((pointer): MissingInput => ({ pointer, supplied_by: supplierOf(pointer) }))
  const starts = [0]
  let text = ""
  for (const one of missing) {
    text += `${canonicalize(one)},`
    starts.push(text.length)
  }
  return { missing, text, starts, providedBy: providedBy(leaves) }
}

function providedBy(leaves: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const provided = new Map<string, number[]>()
  for (const [place, leaf] of leaves.entries()) {
    for (const pointer of providersOf(leaf)) {
      const known = provided.get(pointer)
      if (known) known.push(place)
      else provided.set(pointer, [place])
    }
  }
  return provided
}

/** Of a row without a product. */
function countryOf(path: string): SoldProduct["jurisdiction"] | null {
  if (path.startsWith("/v1/us/")) return "US"
  return path.startsWith("/v1/gb/") ? "GB" : null
}
