/** What a dialogue may state: the served products, their rails and their sources. Printed from the operation table; nothing is written by hand. */
import type { TSchema } from "@sinclair/typebox"
import type { AnswerCode } from "../../../../schemas/agent-mode/dialogue.ts"
import type { Operation, SoldProduct } from "../../../../schemas/operation.ts"

/** The free product. */
const AGENT_ID_PRODUCT = "svc.agent-id.v1"

export interface SourceLine {
  readonly sourceId: string
  readonly health: string
}

/** What is sold, as the delivery path knows it. */
export interface SoldLine {
  readonly id: string
  /** Decimal USDC. */
  readonly price: string
  readonly priceAtomic: bigint
  readonly reviewDuty: "HUMAN_REVIEW_BEFORE_PAYMENT" | "REVIEW_QUOTE_BEFORE_PAYMENT"
  readonly owner: "SIGNER" | "PAYER"
}

export interface CatalogueParts {
  /** Every served row. Asked once, at the first request. */
  readonly operations: () => readonly Operation[]
  readonly sold: readonly SoldLine[]
  /** CAIP-2 id of the payment network; null while payments are off or opening. */
  readonly network: () => string | null
  /** Whether the service may sell at this price now. */
  readonly isReady: (priceAtomic: bigint) => boolean
  /** State in memory of the sources of one country. `at` in milliseconds. */
  readonly sources: (country: SoldProduct["jurisdiction"], at: number) => readonly SourceLine[]
  /** Whether the sandbox takes journeys. */
  readonly hasSandbox: () => boolean
  /** Whether the service serves on-chain jobs. */
  readonly servesJobs: () => boolean
  /** Whether agents reach the service by e-mail. */
  readonly hasMailbox: () => boolean
}

export interface CatalogueLine {
  readonly productId: string
  readonly jurisdiction: Extract<AnswerCode, "US_FEDERAL_ONLY" | "UK_COMPANIES_HOUSE" | "GLOBAL_KEY_CONTROL_ONLY">
  readonly coverage: string
  readonly chargeRule: Extract<AnswerCode, "ONCE_PER_DELIVERED_DECISION" | "PER_SETTLED_DELIVERY" | "NO_CHARGE">
  readonly needsAgentId: boolean
  /** Null for the free product. */
  readonly paid: PaidLine | null
}

export interface PaidLine extends SoldLine {
  readonly country: SoldProduct["jurisdiction"]
  readonly operationId: string
  readonly path: string
  readonly intent: string | null
  readonly notFor: readonly string[]
}

/** One line for each product that is served. */
export function catalogueLines({ operations, sold }: CatalogueParts): ReadonlyMap<string, CatalogueLine> {
  const lines = operations().flatMap((row): CatalogueLine[] => {
    const line = row.product && sold.find(({ id }) => id === row.product?.id)
    return line ? [paidLine(row, row.product, line)] : []
  })
  return new Map([...lines, FREE_LINE].map((line) => [line.productId, line]))
}

const FREE_LINE: CatalogueLine = {
  productId: AGENT_ID_PRODUCT,
  jurisdiction: "GLOBAL_KEY_CONTROL_ONLY",
  coverage: "GLOBAL_KEY_CONTROL_ONLY",
  chargeRule: "NO_CHARGE",
  needsAgentId: false,
  paid: null,
}

function paidLine({ id, path, body, intent }: Operation, product: SoldProduct, line: SoldLine): CatalogueLine {
  return {
    productId: product.id,
    jurisdiction: product.jurisdiction === "GB" ? "UK_COMPANIES_HOUSE" : "US_FEDERAL_ONLY",
    coverage: product.coverage,
    // The interface charges the Payment Decision once for a delivered decision, and the others for a settled delivery.
    chargeRule: line.owner === "SIGNER" ? "ONCE_PER_DELIVERED_DECISION" : "PER_SETTLED_DELIVERY",
    needsAgentId: namesAgent(body),
    paid: {
      ...line,
      country: product.jurisdiction,
      operationId: id,
      path,
      intent: intent?.name ?? null,
      notFor: intent?.notFor ?? [],
    },
  }
}

/** Whether the body must name the agent that signs it. */
function namesAgent(body: TSchema | undefined): boolean {
  const required: unknown = body?.["required"]
  return Array.isArray(required) && required.includes("requesting_agent")
}
