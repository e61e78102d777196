/**
 * The answer of a planning route, from a finished plan. Pure: no clock, no randomness, no id of the request enters.
 *
 * It is written as canonical text at once. Most of a plan repeats what its operation is, so those texts are made once.
 */
import { hash } from "node:crypto"
import type {
  AgentPlanningIntent,
  Alternative,
  PlanningOperationId,
  PlanningOutcome,
} from "../../../schemas/agent-mode/planning.ts"
import type { Operation } from "../../../schemas/operation.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import type { Digest } from "../../core/digest.ts"
import { formatId } from "../../core/ids.ts"
import { formatInstant, MINUTE } from "../../core/time.ts"
import type { RequiredSource } from "../../delivery/sale.ts"
import { USDC_BASE } from "../../payments/usdc.ts"
import { CONTRACT, NO_EFFECTS } from "../answer-members.ts"
import { type JudgedReferences, NO_REFERENCES } from "./judge-references.ts"
import type { Plan } from "./plan.ts"
import type { PlanningCatalogue, PlanningLine } from "./planning-catalogue.ts"

/** CHOICE: a plan holds for fifteen minutes at most. */
const VALID_MS = 15 * MINUTE
const ALTERNATIVES_MAX = 16

export interface PlannedIntent extends Plan {
  readonly operation: PlanningOperationId
  readonly body: AgentPlanningIntent
  /** Milliseconds: `evaluated_at`. */
  readonly at: number
  readonly requestDigest: Digest
  readonly factsDigest: Digest
  /** Null if no operation is planned. */
  readonly line: PlanningLine | null
  readonly nearest: readonly PlanningLine[]
  readonly sources: readonly RequiredSource[]
  readonly references: JudgedReferences
  readonly continuesPlanId: string | null
}

const NEXT: Readonly<Record<PlanningOutcome, string>> = {
  NOT_IMPLEMENTED: "STOP_AND_SEEK_ALTERNATIVE",
  UNSUPPORTED: "STOP_AND_SEEK_ALTERNATIVE",
  REUSE_AVAILABLE: "REUSE_EVIDENCE_DO_NOT_PURCHASE",
  SOURCE_UNAVAILABLE: "RETRY_LATER_WITHOUT_PAYMENT",
  SOURCE_STALE: "RETRY_LATER_WITHOUT_PAYMENT",
  NOT_SOLD_NOW: "STOP_AND_SEEK_ALTERNATIVE",
  INSUFFICIENT_AUTHORITY: "OBTAIN_AUTHORITY",
  INSUFFICIENT_BUDGET: "STOP_OR_RAISE_BUDGET",
  NEEDS_INPUT: "PROVIDE_MISSING_INPUTS",
  SUPPORTED: "REQUEST_QUOTE",
}

/** `pln_…` or `cnt_…`: equal for equal requests and facts. */
export function planningId(
  prefix: "pln" | "cnt",
  { operation, requestDigest, factsDigest }: Pick<PlannedIntent, "operation" | "requestDigest" | "factsDigest">,
): string {
  const text = `{"facts_digest":"${factsDigest}","operation":"${operation}","request_digest":"${requestDigest}"}`
  return formatId(prefix, hash("sha256", text, "buffer").subarray(0, 16))
}

export interface WriterParts {
  readonly catalogue: PlanningCatalogue
  readonly baseUrl: string
  readonly isUkRegisterLive: boolean
}

/** Canonical texts that every plan of a line has. */
interface LineTexts {
  readonly productId: string
  readonly coverage: string
  readonly price: string
  /** Without evidence to reuse. */
  readonly alternatives: string
  /** The members up to `effects` of a plan without evidence to reuse that neither continues another nor can be continued. */
  readonly beginning: string
  readonly limitations: string
  readonly limitationsWithoutBudget: string
}

interface SourceTexts {
  readonly of: readonly RequiredSource[]
  /** Canonical text. */
  readonly health: string
  /** The first end, in milliseconds. */
  readonly staleAt: number
}

const VERSION = canonicalize(CONTRACT.schema_version)
const CONTRACT_VERSION = canonicalize(CONTRACT.contract_version)
const EFFECTS = canonicalize(NO_EFFECTS)

export class PlanWriter {
  readonly #lines = new Map<PlanningLine | null, LineTexts>()
  readonly #service: string
  /** Of the last plan: most plans share the sources. */
  #sources: SourceTexts | null = null

  constructor(private readonly parts: WriterParts) {
    this.#service = canonicalize(parts.baseUrl)
  }

  /**
   * Texts that are, one after another, the canonical text of the payload. They are not joined: a plan has some thousand characters, and the
   * caller copies them once, into bytes. `own`: the members that only this operation answers.
   */
  payload(planned: PlannedIntent, own: object, continuation: object | null): string[] {
    const { body, at, line, outcome, missing } = planned
    const known = this.#lineTexts(line)
    const sources = this.#sourceTexts(planned.sources)
    const limited = body.budget === null ? known.limitationsWithoutBudget : known.limitations
    const until = Math.max(at, Math.min(at + VALID_MS, sources.staleAt))
    const others = new OwnMembers(own)
    const texts = [
      `{${others.before("alternatives")}`,
      this.#beginning(planned, known, continuation),
      `,"facts_digest":"${planned.factsDigest}","intent":${canonicalize(body.intent)},"limitations":${limited}` +
        `,"maximum_price":${known.price},"missing_inputs":[`,
      ...missing.texts,
      `],"next_machine_action":"${nextAction(outcome, line)}","operation":"${planned.operation}"` +
        `,"outcome":"${outcome}","plan_id":"${planningId("pln", planned)}","product_id":${known.productId}` +
        `,${others.before("reason_codes")}"reason_codes":${canonicalize(planned.reasonCodes)}` +
        `,${others.before("request_digest")}"request_digest":"${planned.requestDigest}"` +
        `,${others.before("schema_version")}"schema_version":${VERSION}` +
        `,${others.before("service")}"service":${this.#service},"source_health":${sources.health}` +
        `,"valid_as_of":${endText(at)},"valid_until":${endText(until)}}`,
    ]
    others.requireWritten()
    return texts
  }

  /** The members up to `effects`. */
  #beginning(planned: PlannedIntent, known: LineTexts, continuation: object | null): string {
    const { line, nearest, references, continuesPlanId } = planned
    const isPlain = nearest.length === 0 && references.reusable.length === 0
    if (isPlain && continuation === null && continuesPlanId === null) return known.beginning
    const alternatives = isPlain ? known.alternatives : canonicalize(this.#alternatives(line, planned))
    return beginning(alternatives, known.coverage, continuation, continuesPlanId)
  }

  /** CHOICE: a plan whose source is stale already ends as it begins. */
  #sourceTexts(sources: readonly RequiredSource[]): SourceTexts {
    if (this.#sources?.of !== sources) {
      const ends = sources.map(({ staleAt }) => staleAt ?? Number.POSITIVE_INFINITY)
      this.#sources = { of: sources, health: sourceHealth(sources), staleAt: Math.min(...ends) }
    }
    return this.#sources
  }

  #lineTexts(line: PlanningLine | null): LineTexts {
    const known = this.#lines.get(line)
    if (known) return known
    const coverage = canonicalize({
      jurisdiction: line?.jurisdiction ?? null,
      coverage: line?.coverage ?? null,
      supported: line !== null,
      limitations: line?.jurisdiction === "GB" && this.parts.isUkRegisterLive ? ["LIVE_REGISTER_NOT_ASKED"] : [],
    })
    const alternatives = canonicalize(this.#alternatives(line, { nearest: [], references: NO_REFERENCES }))
    const texts = {
      productId: canonicalize(line?.productId ?? null),
      coverage,
      price: canonicalize(line && priceOf(line)),
      alternatives,
      beginning: beginning(alternatives, coverage, null, null),
      limitations: canonicalize(limitations(line, false)),
      limitationsWithoutBudget: canonicalize(limitations(line, true)),
    }
    this.#lines.set(line, texts)
    return texts
  }

  #alternatives(
    line: PlanningLine | null,
    { nearest, references }: Pick<PlannedIntent, "nearest" | "references">,
  ): Alternative[] {
    const { catalogue, baseUrl } = this.parts
    const found: Alternative[] = []
    const add = (kind: Alternative["kind"], row: Operation | undefined) => {
      if (!row || found.some(({ operation_id }) => operation_id === row.id)) return
      found.push({ kind, operation_id: row.id, method: row.method, uri: `${baseUrl}${row.path}` })
    }
    for (const { operation } of nearest) add("OPERATION", operation)
    if (line?.isPaid) {
      add("FREE_CHECK", catalogue.byPath.get(`${line.operation.path}/eligibility`))
      add("RECOVER", catalogue.byPath.get(`${line.operation.path}/recover`))
      if (references.reusable.length > 0) add("EVIDENCE", catalogue.byId.get("preview_evidence_reuse"))
    }
    return found.slice(0, ALTERNATIVES_MAX)
  }
}

/** The members that one operation adds, to be written at their places in canonical order: those before which {@link before} is called. */
class OwnMembers {
  readonly #texts: string[]
  #written = 0

  constructor(own: object) {
    // A quote sorts before every character of a name, so the texts of members are in the order of their names.
    this.#texts = Object.entries(own)
      .map(([name, value]) => `"${name}":${canonicalize(value)},`)
      .sort()
  }

  /** The texts of the members before the one of this name that are not yet written, with a comma after each. */
  before(name: string): string {
    const from = this.#written
    while ((this.#texts[this.#written] ?? "~") < `"${name}"`) this.#written++
    return this.#texts.slice(from, this.#written).join("")
  }

  /** Throws for a member that none of the places was for, instead of leaving it out. */
  requireWritten(): void {
    if (this.#written < this.#texts.length) throw new Error(`no place for ${this.#texts.slice(this.#written).join("")}`)
  }
}

function beginning(
  alternatives: string,
  coverage: string,
  continuation: object | null,
  continuesPlanId: string | null,
): string {
  const before = `"alternatives":${alternatives},"continuation":${canonicalize(continuation)}`
  const plan = `"continues_plan_id":${canonicalize(continuesPlanId)},"contract_version":${CONTRACT_VERSION}`
  return `${before},${plan},"coverage":${coverage},"domain":"svc.planning.result.v1","effects":${EFFECTS}`
}

function nextAction(outcome: PlanningOutcome, line: PlanningLine | null): string {
  return outcome === "SUPPORTED" && line?.isPaid !== true ? "CALL_OPERATION" : NEXT[outcome]
}

/** Canonical text. */
function sourceHealth(sources: readonly RequiredSource[]): string {
  let text = ""
  for (const { sourceId, health, staleAt } of inOrder(sources)) {
    if (text !== "") text += ","
    text += `"${sourceId}":{"health":"${health}","stale_at":${endText(staleAt)}}`
  }
  return `{${text}}`
}

function inOrder(sources: readonly RequiredSource[]): readonly RequiredSource[] {
  const isSorted = sources.every(({ sourceId }, i) => i === 0 || (sources[i - 1]?.sourceId ?? "") < sourceId)
  return isSorted ? sources : sources.toSorted((a, b) => (a.sourceId < b.sourceId ? -1 : 1))
}

/** Canonical text of an instant, or of null. */
export function endText(at: number | null): string {
  return at === null ? "null" : `"${formatInstant(at)}"`
}

export function priceOf({ isPaid, price }: PlanningLine) {
  const { amount, amountAtomic, asset } = price
  return { amount, amount_atomic: amountAtomic, asset, network: isPaid ? USDC_BASE.network : null }
}

function limitations(line: PlanningLine | null, isBudgetMissing: boolean): string[] {
  return [
    "NO_SOURCE_WAS_ASKED",
    "STATE_MAY_CHANGE_BEFORE_THE_QUOTE",
    ...(line && line.needs.length > 0 ? ["AUTHORITY_NOT_EVALUATED"] : []),
    ...(isBudgetMissing ? ["BUDGET_NOT_STATED"] : []),
  ]
}
