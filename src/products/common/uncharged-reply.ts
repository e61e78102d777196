/**
 * RETRY and NO_DECISION: a 200 reply without a quote, a charge or a row (rulings 27). CHOICE: the execution id and the delivery id are
 * empty, because nothing is stored that could be returned again.
 */

import type { BusinessAnswer } from "../../../schemas/business-answer.ts"
import type { Machine } from "../../base/machine.ts"
import { policyChecksum } from "../../checks/policy/policy-checksum.ts"
import { NO_TOKEN_ISSUED } from "../../core/capsule/answer-view.ts"
import { formatId, ID_RANDOM_BYTES } from "../../core/ids.ts"
import { formatInstant } from "../../core/time.ts"
import { PRIVATE } from "../../delivery/private-headers.ts"
import type { Reply } from "../../http/call.ts"
import type { UnchargedCounts } from "../../http/process-counts.ts"
import type { AnyBusinessAnswerProduct } from "./answer-product.ts"
import { type AnswerRequest, policyInForce } from "./answer-rules.ts"
import type { SourceFailure } from "./source-failure.ts"

interface UnchargedDeps {
  readonly machine: Machine
  /** CAIP-2 id of the network of the charge that was not made. */
  readonly network: string
  /** Absent if nobody reads metrics. */
  readonly counts?: UnchargedCounts
}

/** A request and the failure of a source that it requires. `at` in milliseconds. */
interface FailedRequest {
  readonly request: AnswerRequest
  readonly failure: SourceFailure
  readonly at: number
}

export function unchargedReply(
  { machine, network, counts }: UnchargedDeps,
  product: AnyBusinessAnswerProduct,
  { request, failure, at }: FailedRequest,
): Reply {
  const policy = policyInForce(product)
  const { codes, retry, action } = unchargedReason(product, failure)
  const result = product.undecided(request)
  const now = formatInstant(at)
  const body: BusinessAnswer = {
    schema_version: "1.0.0",
    product_or_solution: product.id,
    request_id: formatId("req", machine.random(ID_RANDOM_BYTES)),
    execution_id: "",
    delivery_id: "",
    replayed: false,
    decision: retry ? "RETRY" : "NO_DECISION",
    authorization: "HOLD",
    machine_action: action,
    policy: { id: policy.id, version: policy.version, checksum: policyChecksum(policy) },
    reason_codes: codes,
    conditions: [],
    required_information: [...new Set(failure.failed.flatMap(({ pointer }) => pointer ?? []))],
    limitations: [
      ...(policy.limitations ?? []),
      ...(Object.hasOwn(result, "authorization_token") ? [NO_TOKEN_ISSUED] : []),
    ],
    coverage: product.coverage,
    source_health: healthOf(failure),
    evidence: [],
    valid_as_of: now,
    valid_until: now,
    economic_activity: { charged: false, quote_created: false, settlement_created: false },
    payment: {
      protocol: "x402",
      payment_status: "NOT_CHARGED",
      charged_price_usd: 0,
      network,
      asset: "USDC",
      persistence_status: "NOT_PERSISTED",
    },
    result,
  }
  counts?.add(product.id, body.decision)
  const { retryAfterSeconds, headers } = failure.context
  return {
    status: 200,
    body,
    headers: {
      ...headers,
      ...PRIVATE,
      ...(retry && retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
    },
    note: { product: product.id, outcome: "uncharged", decision: body.decision },
  }
}

interface UnchargedReason {
  /** In the order of the policy. Never empty. */
  readonly codes: string[]
  readonly retry: boolean
  readonly action: "RETRY_LATER_WITHOUT_PAYMENT" | "STOP_AND_SEEK_ALTERNATIVE"
}

/** Returns why the product does not decide, and the next action. Throws a TypeError if the policy has no row for the failure. */
export function unchargedReason(product: AnyBusinessAnswerProduct, { failed }: SourceFailure): UnchargedReason {
  const policy = policyInForce(product)
  const found = new Set<string>(failed.map(({ code }) => code))
  const rows = policy.uncharged.filter(({ code }) => found.has(code))
  if (rows.length === 0) throw new TypeError(`policy ${policy.id} has no row for ${[...found].join(", ")}`)
  // If waiting does not help for one source, waiting is useless.
  const retry = rows.every(({ decision }) => decision === "RETRY")
  const action = retry ? "RETRY_LATER_WITHOUT_PAYMENT" : "STOP_AND_SEEK_ALTERNATIVE"
  return { codes: rows.map(({ code }) => code), retry, action }
}

function healthOf({ sourcesQueried, failed }: SourceFailure): BusinessAnswer["source_health"] {
  return {
    ...Object.fromEntries(sourcesQueried.map(({ sourceId, health }) => [sourceId, health])),
    ...Object.fromEntries(failed.map(({ sourceId, health }) => [sourceId, health])),
  }
}
