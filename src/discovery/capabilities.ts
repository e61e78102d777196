/** The capability catalogue: the served rows, and what can be sold of them now. It is computed at most once a second. */
import { type Capabilities, getCapabilities } from "../../schemas/discovery/capabilities.ts"
import type { Operation } from "../../schemas/operation.ts"
import { canonicalBytes } from "../core/canonical-json.ts"
import { pathTemplate } from "../core/discovery/path-template.ts"
import { formatInstant, SECOND } from "../core/time.ts"
import type { RequiredSource, SourcesJudged } from "../delivery/sale.ts"
import { EncodedDocument } from "../http/encoded-document.ts"
import { PRESENTED_PAYMENTS } from "../http/rate-limit.ts"
import { BODY_BYTES_MAX } from "../http/read-body.ts"
import { serve } from "../http/serve.ts"
import type { Shell } from "../http/shell.ts"
import { MAX_TIMEOUT_SECONDS } from "../payments/quote.ts"
import { commercialSolutions } from "./commercial-solutions.ts"
import { coverageLines } from "./coverage-lines.ts"
import { productPrice } from "./product-price.ts"
import { type SoldOperation, soldOperations } from "./sold.ts"

const RENEW_MS = SECOND

/** CHOICE: the limits of what the catalogue says, as codes. */
const LIMITATIONS = [
  "STATE_MAY_CHANGE_BEFORE_THE_QUOTE",
  "SELLABLE_NOW_IS_NOT_ELIGIBILITY",
  "NO_PAYMENT_EXECUTION",
  "RUNTIME_DESCRIPTOR_NOT_INDEXING_PROOF",
]

interface CapabilityDeps extends Pick<Shell, "network"> {
  /** Every served row, ordered by path. */
  readonly operations: () => readonly Operation[]
  /** Returns why a product cannot be sold at `at` (ms), and the sources it requires. */
  readonly judgeSale: (productId: string, at: number) => Promise<SourcesJudged>
  /** False if the server limits no calls (`rate_limits = off`). */
  readonly countsCalls: boolean
  /** Ids of operations that the operator has switched off. */
  readonly disabled: ReadonlySet<string>
}

interface JudgedProduct extends SourcesJudged {
  readonly row: SoldOperation
}

interface Held {
  readonly document: EncodedDocument
  readonly madeAt: number
}

export function capabilityRoute(shell: Shell, deps: Omit<CapabilityDeps, "network">) {
  const catalogue = new CapabilityCatalogue({ ...deps, network: shell.network })
  return serve(shell, getCapabilities, async ({ headers, at }) => (await catalogue.document(at)).reply(headers))
}

class CapabilityCatalogue {
  #held: Held | null = null
  #making: Promise<Held> | null = null

  constructor(private readonly deps: CapabilityDeps) {}

  /** Returns the catalogue, at most a second old at `at` (ms). Calls that arrive while it is computed get the same one. */
  async document(at: number): Promise<EncodedDocument> {
    const held = this.#held
    if (held !== null && at >= held.madeAt && at - held.madeAt < RENEW_MS) return held.document
    this.#making ??= this.#make(at).finally(() => {
      this.#making = null
    })
    const made = await this.#making
    this.#held = made
    return made.document
  }

  async #make(at: number): Promise<Held> {
    const bytes = canonicalBytes(await capabilities(this.deps, at))
    const headers = { "content-type": "application/json", "cache-control": "public, no-cache" }
    return { document: new EncodedDocument(bytes, headers), madeAt: at }
  }
}

async function capabilities(deps: CapabilityDeps, at: number): Promise<Capabilities> {
  const operations = deps.operations()
  const sold = soldOperations(operations)
  const judged = await Promise.all(
    sold.map(async (row): Promise<JudgedProduct> => ({ row, ...(await deps.judgeSale(row.product.id, at)) })),
  )
  const paths = new Set(operations.map(({ path }) => path))
  return {
    schema_version: "1.0.0",
    products: judged.map((product) => productLine(product, paths, deps.network)),
    solutions: commercialSolutions(sold),
    free_operations: operations.filter(isFree).map((row) => freeLine(row, deps.disabled)),
    coverage: coverageLines(sold),
    source_health: sourceLines(judged),
    limits: {
      request_body_bytes_max: BODY_BYTES_MAX,
      payment_timeout_seconds: MAX_TIMEOUT_SECONDS,
      calls_per_minute: deps.countsCalls ? budgets(operations) : [],
    },
    limitations: LIMITATIONS,
    valid_as_of: formatInstant(at),
    next_machine_action: nextAction(judged),
  }
}

function productLine(
  { row, refusal }: JudgedProduct,
  paths: ReadonlySet<string>,
  network: string,
): Capabilities["products"][number] {
  const { id, method, path, product } = row
  const served = (document: string) => (paths.has(document) ? document : null)
  return {
    product_id: product.id,
    solution_id: product.solution,
    operation_id: id,
    method,
    route: path,
    schema: served(`${path}/schema`),
    example: served(`${path}/example`),
    jurisdiction: product.jurisdiction,
    coverage: product.coverage,
    price: productPrice(row),
    network,
    sellable_now: refusal === null,
    why_not: refusal?.code ?? null,
  }
}

function isFree({ price }: Operation): boolean {
  return price === null || price.amount === "0"
}

function freeLine(
  { id, method, path, lifecycle }: Operation,
  disabled: ReadonlySet<string>,
): Capabilities["free_operations"][number] {
  return { operation_id: id, method, path: pathTemplate(path), lifecycle, enabled: !disabled.has(id) }
}

/** One line for each state of a source. Products that see the same state share a line. */
function sourceLines(judged: readonly JudgedProduct[]): Capabilities["source_health"] {
  const lines = new Map<string, Capabilities["source_health"][number]>()
  for (const { row, sources } of judged) {
    for (const source of sources) {
      const key = `${source.sourceId} ${source.health} ${source.staleAt} ${source.reasonCodes.join(" ")}`
      const line = lines.get(key)
      if (line) line.product_ids.push(row.product.id)
      else lines.set(key, sourceLine(source, row.product.id))
    }
  }
  return [...lines.values()].toSorted((a, b) => (a.source_id < b.source_id ? -1 : a.source_id > b.source_id ? 1 : 0))
}

function sourceLine(
  { sourceId, health, reasonCodes, staleAt }: RequiredSource,
  productId: string,
): Capabilities["source_health"][number] {
  return {
    source_id: sourceId,
    health,
    reason_codes: [...reasonCodes],
    stale_at: staleAt === null ? null : formatInstant(staleAt),
    product_ids: [productId],
  }
}

function budgets(operations: readonly Operation[]): Capabilities["limits"]["calls_per_minute"] {
  const limits = [...operations.map(({ rateLimit }) => rateLimit), PRESENTED_PAYMENTS]
  const groups = new Map(limits.map(({ group, perMinute }) => [group, perMinute]))
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([group, per_minute]) => ({ group, per_minute }))
}

function nextAction(judged: readonly JudgedProduct[]): Capabilities["next_machine_action"] {
  if (judged.some(({ refusal }) => refusal === null)) return "REQUEST_QUOTE"
  return judged.every(({ refusal }) => refusal?.code === "PAYMENTS_OFF")
    ? "USE_FREE_OPERATIONS"
    : "RETRY_LATER_WITHOUT_PAYMENT"
}
