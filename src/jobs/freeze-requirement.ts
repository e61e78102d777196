/**
 * Takes a valid requirement through the gates of the paid route, and freezes it in one unit with its request, purchase and holds. A signed
 * request is sold once over all rails.
 */
import type { AcpRequirement } from "../../schemas/acp/requirement.ts"
import { ServiceError } from "../base/errors.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { formatId, ID_RANDOM_BYTES } from "../core/ids.ts"
import { formatInstant, SECOND } from "../core/time.ts"
import { judgeKnownSale } from "../delivery/known-sale.ts"
import { newRequest, type Sale } from "../delivery/sale.ts"
import type { Unit } from "../store/engine/unit.ts"
import { recordEntry } from "../store/jobs/job-entries.ts"
import { freezeJobRequirement, isHeld } from "../store/jobs/job-moves.ts"
import type { Job } from "../store/jobs/jobs.ts"
import { dropHolds } from "../store/sales/holds.ts"
import { findClaimingPurchase } from "../store/sales/purchases.ts"
import { claimRequest, countAgainst, findEntitlement, findRequest, forgetRequest } from "../store/sales/requests.ts"
import type { Refusal } from "./check-terms.ts"
import type { AcpDeps } from "./deps.ts"
import { LOST, MOVED, type Next } from "./step.ts"
import { AUTHORITY_BEYOND_SECONDS } from "./terms.ts"

interface AcceptedRequirement {
  readonly entryKey: string
  readonly requirement: AcpRequirement
  readonly requirementDigest: string
  readonly bindingDigest: string
}

/** Moves the job to REQUIREMENT_VERIFIED, or returns why the job is refused. */
export async function freezeRequirement(
  deps: AcpDeps,
  job: Job,
  accepted: AcceptedRequirement,
): Promise<Next | Refusal> {
  const { store, machine, sold } = deps
  const now = machine.now()
  let sale: Sale
  try {
    sale = await sold.saleOf(accepted.requirement.request, now)
    const known = judgeKnownSale(sold.product, sale.records, sale)
    if (known) return refusalOf(known)
    await sale.requireChecksPass("QUOTE", now)
  } catch (error) {
    if (error instanceof ServiceError) return refusalOf(error)
    throw error
  }
  const newId = formatId("drq", machine.random(ID_RANDOM_BYTES))
  const frozen = await store.runInPlace(() => freezeUnit(deps, job, accepted, { sale, newId, now }))
  if (frozen === "lost") return LOST
  if (frozen !== "frozen") return frozen
  deps.log.info("acp_job_moved", { job: job.jobId, from: job.state, to: "REQUIREMENT_VERIFIED", reason: null })
  await deps.trace?.("requirement_frozen")
  return MOVED
}

/** The claim of a sale's request. */
interface Claim {
  readonly sale: Sale
  /** The id of the request if it is new. */
  readonly newId: string
  /** Milliseconds. */
  readonly now: number
}

function* freezeUnit(
  deps: AcpDeps,
  job: Job,
  accepted: AcceptedRequirement,
  { sale, newId, now }: Claim,
): Unit<"frozen" | "lost" | Refusal> {
  if (!(yield* isHeld(job, deps.owner))) return "lost"
  const at = formatInstant(now)
  const requestId = yield* claimRequest(newRequest(sale, newId, at))
  if (requestId === null) return KEY_REUSED
  const result = yield* freezeClaimed(deps, job, accepted, { requestId, now })
  if (result === "frozen") {
    const entry = { entryKey: accepted.entryKey, receivedAt: at, verdict: "ACCEPTED", code: null } as const
    yield* recordEntry(job.id, entry)
  } else if (requestId === newId) {
    yield* forgetRequest(newId)
  }
  return result
}

function* freezeClaimed(
  { sold, owner }: AcpDeps,
  job: Job,
  { requirement, requirementDigest, bindingDigest }: AcceptedRequirement,
  { requestId, now }: { readonly requestId: string; readonly now: number },
): Unit<"frozen" | Refusal> {
  if (yield* findClaimingPurchase(requestId)) return IN_PROGRESS
  const request = yield* findRequest(requestId)
  if (!request) throw new Error("a claimed request is missing")
  // The same signed request may have been sold under another idempotency record since the checks.
  if (yield* findEntitlement(request.requestDigest)) return ACQUIRED
  const reserved = yield* sold.product.reserve(request, now, "NAME")
  if ("refused" in reserved) return { code: reserved.refused, detail: reserved.detail }
  const authorityNeeded = (job.expiredAt + AUTHORITY_BEYOND_SECONDS) * SECOND
  if (sold.authorityUntil(reserved.records) < authorityNeeded) {
    yield* dropHolds(requestId)
    return AUTHORITY_TOO_SHORT
  }
  yield* countAgainst(requestId, reserved.delegationsUsed)
  const requirementJson = canonicalize(requirement)
  const frozen = { requestId, requirementJson, requirementDigest, bindingDigest }
  yield* freezeJobRequirement(job, owner, frozen, formatInstant(now))
  return "frozen"
}

const KEY_REUSED: Refusal = {
  code: "IDEMPOTENCY_KEY_REUSED",
  detail: "The idempotency key belongs to another request of this owner. Sign the request with another key.",
}
const IN_PROGRESS: Refusal = {
  code: "DECISION_IN_PROGRESS",
  detail: "Another purchase has this request. Recover it; do not fund this job.",
}
const ACQUIRED: Refusal = {
  code: "ALREADY_ACQUIRED_USE_RECOVERY",
  detail: "This signed request is sold. Recover it without payment; do not fund this job.",
}
const AUTHORITY_TOO_SHORT: Refusal = {
  code: "AUTHORITY_TOO_SHORT",
  detail: `Mandate and delegation must be valid for ${AUTHORITY_BEYOND_SECONDS} seconds after the job's deadline.`,
}

/** The code is that of the paid route, so that a buyer reads one list of codes. */
function refusalOf({ code, detail }: ServiceError): Refusal {
  if (code === "ALREADY_ACQUIRED" || code === "REQUEST_ALREADY_SOLD") return ACQUIRED
  return { code, detail }
}
