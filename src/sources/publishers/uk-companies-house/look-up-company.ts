/**
 * Looks up one company: in the live register if a key is configured, otherwise in the imported monthly file. The result names its origin,
 * because the two prove different facts: the file is up to a month old and holds no dissolved company, so it never proves that a company
 * does not exist.
 */

import type { Publication } from "../../boards/publication.ts"
import type { RegisterBoard, RegisterState } from "../../boards/register-board.ts"
import type { SourceFreshness, SourceHealth } from "../../boards/source-board.ts"
import { COMPANY_NUMBER, type CompanyRecord } from "./company-record.ts"
import type { LiveAnswer, RestClient } from "./rest-client.ts"

interface CompanyEvidence extends Publication {
  readonly staleAt: string
  /** Null for the live register, whose answers are stored separately. */
  readonly snapshotId: string | null
}

export interface CompanyAnswer {
  /** `FOUND` has a record. `NOT_FOUND` is a fact of the register in `via`. `UNKNOWN` means that no answer exists. */
  readonly outcome: "FOUND" | "NOT_FOUND" | "UNKNOWN"
  readonly record: CompanyRecord | null
  /** Null if neither is configured. */
  readonly via: "LIVE" | "BULK" | null
  readonly health: SourceHealth
  readonly freshness: SourceFreshness
  readonly reasonCodes: readonly string[]
  readonly retryAt: string | null
  readonly evidence: CompanyEvidence | null
}

/** Reason of an UNKNOWN result: the imported register is below its minimum size, so a missing company proves nothing. */
const REGISTER_INCOMPLETE = "SOURCE_INCOMPLETE"

export interface CompanySources {
  /** Null if no key is configured. */
  readonly live: Pick<RestClient, "lookUp"> | null
  readonly registers: Pick<RegisterBoard, "states" | "find"> | null
}

/** `companyNumber` must be the output of `normalizeCompanyNumber`; `at` is in milliseconds. */
export async function lookUpCompany(
  { live, registers }: CompanySources,
  companyNumber: string,
  at: number,
): Promise<CompanyAnswer> {
  if (!COMPANY_NUMBER.test(companyNumber)) throw new TypeError("not a company number")
  const liveResult = live ? fromLive(await live.lookUp(companyNumber, at)) : null
  if (liveResult && liveResult.outcome !== "UNKNOWN") return liveResult
  const bulk = registers ? fromBulk(registers, companyNumber, at) : null
  if (!liveResult) return bulk ?? NOTHING_SET_UP
  // CHOICE: if the live register gives no answer, the monthly file may state what a company is, but never that it does not exist. A
  // malformed live answer is not replaced by the older data of the file.
  if (bulk?.outcome !== "FOUND" || liveResult.health === "SCHEMA_BREAK") return liveResult
  return {
    ...bulk,
    reasonCodes: [...new Set([...bulk.reasonCodes, "LIVE_REGISTER_UNAVAILABLE", ...liveResult.reasonCodes])],
  }
}

const NOTHING_SET_UP: CompanyAnswer = {
  outcome: "UNKNOWN",
  record: null,
  via: null,
  health: "UNAVAILABLE",
  freshness: "STALE",
  reasonCodes: ["SOURCE_UNAVAILABLE", "SOURCE_NOT_SET_UP"],
  retryAt: null,
  evidence: null,
}

function fromLive(answer: LiveAnswer): CompanyAnswer {
  const { evidence } = answer
  const shown = evidence && { ...evidence, sourceTimestamp: evidence.retrievedAt, snapshotId: null }
  if (answer.outcome === "UNKNOWN") {
    const { health, reasonCodes, retryAt } = answer
    return {
      outcome: "UNKNOWN",
      record: null,
      via: "LIVE",
      health,
      freshness: "STALE",
      reasonCodes,
      retryAt,
      evidence: shown,
    }
  }
  const { outcome, record, freshness, reasonCodes } = answer
  return { outcome, record, via: "LIVE", health: "HEALTHY", freshness, reasonCodes, retryAt: null, evidence: shown }
}

function fromBulk(
  registers: NonNullable<CompanySources["registers"]>,
  companyNumber: string,
  at: number,
): CompanyAnswer {
  const state = registers.states(at).find(({ sourceId }) => sourceId === "UK_COMPANIES_HOUSE")
  if (!state?.snapshot) return NOTHING_SET_UP
  const common = {
    via: "BULK" as const,
    health: state.health,
    freshness: state.freshness,
    retryAt: null,
    evidence: bulkEvidence(state),
  }
  if (state.health !== "HEALTHY") {
    return { ...common, outcome: "UNKNOWN", record: null, reasonCodes: state.reasonCodes }
  }
  const entry = registers.find("UK_COMPANIES_HOUSE", "number", companyNumber)
  if (!entry && state.snapshot.isIncomplete) {
    return { ...common, outcome: "UNKNOWN", record: null, reasonCodes: [...state.reasonCodes, REGISTER_INCOMPLETE] }
  }
  if (!entry) {
    return { ...common, outcome: "NOT_FOUND", record: null, reasonCodes: [...state.reasonCodes, "NOT_IN_MONTHLY_FILE"] }
  }
  // The bulk reader of the same release wrote it, under a parser version that changes with the record.
  return { ...common, outcome: "FOUND", record: entry.record as CompanyRecord, reasonCodes: state.reasonCodes }
}

function bulkEvidence({ snapshot, staleAt }: RegisterState): CompanyEvidence | null {
  if (!snapshot) return null
  const { sourceUrl, sourceVersion, sourceTimestamp, retrievedAt, parserVersion, rawSha256, snapshotId } = snapshot
  const { publishedAt, publishedFrom, confirmedAt, limitations, findings } = snapshot
  return {
    ...{ sourceUrl, sourceVersion, sourceTimestamp, retrievedAt, parserVersion, rawSha256, snapshotId },
    ...{ publishedAt, publishedFrom, confirmedAt, limitations, findings },
    // A state with a snapshot always has a stale time.
    staleAt: staleAt ?? retrievedAt,
  }
}
