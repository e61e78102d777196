/** An agent leaves sales, or comes back. It takes effect in the unit that answers, and no switch delays it. */
import type {
  AgentSalesOptOutResult,
  OptOutReceiptPayload,
  SignedAgentSalesOptOut,
} from "../../../../schemas/agent-mode/opt-out.ts"
import { type FieldError, ServiceError } from "../../../base/errors.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import { signedAnswer } from "../../../core/signer.ts"
import { DAY, formatInstant, instant, SECOND, waitSeconds } from "../../../core/time.ts"
import type { Call, Reply } from "../../../http/call.ts"
import { revokeLiveConsents } from "../../../store/agent-mode/beacon-consents.ts"
import {
  newestOptOut,
  nthNewestReturn,
  type OptOutRow,
  type OptOutSubject,
  recordOptOut,
} from "../../../store/agent-mode/sales-opt-outs.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { CONTRACT, NO_EFFECTS } from "../../answer-members.ts"
import type { AgentSalesDeps } from "../../deps.ts"
import type { ServedCatalogue } from "../../served-catalogue.ts"
import { type Acting, actOnMessage } from "../messages/act-on-message.ts"
import { requireCurrent } from "../messages/message-times.ts"
import { type ReceivedMessage, requireSigned } from "../messages/received-message.ts"
import { type Refusal, refusal, refusalError } from "../messages/refusal.ts"

/**
 * CHOICE: an agent comes back at most 40 times in 24 hours, enough for every product and channel once. Leaving has no limit, but only what
 * came back can leave again, so the records of one day are bounded.
 */
export const RETURNS_PER_DAY_MAX = 40

/** What the acting unit says. The receipt is signed after it, because nothing is signed inside a unit. */
type Said = Pick<AgentSalesOptOutResult, "status" | "scope" | "product_id" | "channel" | "effective_at">

export async function replyOptOut(
  deps: AgentSalesDeps,
  catalogue: ServedCatalogue,
  call: Call<SignedAgentSalesOptOut>,
): Promise<Reply> {
  const { body, at } = call
  const subject = subjectOf(body, catalogue)
  requireCurrent(body, at)
  const message = await requireSigned(deps, body, "SALES_OPT_OUT", call)
  const acted = await deps.store.run(() => actOnMessage(message, actingOn(subject, body, message)))
  if (acted.kind === "REFUSED") throw refusalError(acted, deps.baseUrl())
  const said = JSON.parse(acted.response) as Said
  const answer = resultOf(deps, said, message, acted.replayed)
  return { status: 200, body: answer, note: { scope: body.scope, status: answer.status } }
}

function actingOn(
  subject: OptOutSubject,
  { action = "OPT_OUT", scope, product_id, channel }: SignedAgentSalesOptOut,
  { at, requestDigest }: ReceivedMessage,
): Acting {
  const now = formatInstant(at)
  return {
    isStop: action === "OPT_OUT",
    *turn(): Unit<Refusal | null> {
      const isReturn = action === "OPT_IN" && (yield* newestOptOut(subject))?.action === "OPT_OUT"
      return isReturn ? yield* returnsRefusal(subject.agentId, at) : null
    },
    cap: "SALES_MESSAGES",
    *isLeaving() {
      return action === "OPT_OUT" && !holds(yield* newestOptOut(subject), action)
    },
    *write() {
      const before = yield* newestOptOut(subject)
      const held = holds(before, action)
      // CHOICE: a state that holds already is not recorded again, and the answer has the time since which it holds.
      if (!held) yield* recordOptOut({ ...subject, action, effectiveAt: now, requestDigest })
      if (subject.scope === "ALL" && action === "OPT_OUT") yield* revokeLiveConsents(subject.agentId, now)
      const said: Said = {
        status: action === "OPT_IN" ? "OPTED_IN" : "OPTED_OUT",
        scope,
        product_id,
        channel,
        effective_at: held && before ? before.effectiveAt : now,
      }
      return { response: canonicalize(said), replayed: held && before !== null }
    },
  }
}

/** An agent that never left is in. */
function holds(before: Pick<OptOutRow, "action"> | null, action: OptOutRow["action"]): boolean {
  return (before?.action ?? "OPT_IN") === action
}

function* returnsRefusal(agentId: string, at: number): Unit<Refusal | null> {
  const oldest = yield* nthNewestReturn(agentId, RETURNS_PER_DAY_MAX)
  if (oldest === null || instant(oldest) <= at - DAY) return null
  return {
    ...refusal(
      "RATE_LIMITED",
      "RETURNS_TODAY",
      `At most ${RETURNS_PER_DAY_MAX} times in 24 hours an agent comes back.`,
    ),
    retryAfterSeconds: waitSeconds(instant(oldest) + DAY, at, DAY / SECOND),
  }
}

/** Throws 422 unless exactly the member of the scope is given. */
function subjectOf(body: SignedAgentSalesOptOut, { lines }: ServedCatalogue): OptOutSubject {
  const { scope, product_id, channel, agent_id: agentId } = body
  const errors: FieldError[] = []
  const need = (pointer: string, isGiven: boolean, isNeeded: boolean) => {
    if (isGiven === isNeeded) return
    errors.push({
      pointer,
      code: isNeeded ? "SCOPE_MEMBER_MISSING" : "SCOPE_MEMBER_UNEXPECTED",
      expected: isNeeded ? `a value, because scope is ${scope}` : `null, because scope is ${scope}`,
    })
  }
  need("/product_id", product_id !== null, scope === "PRODUCT")
  need("/channel", channel !== null, scope === "CHANNEL")
  // CHOICE: a text that names no product of this service is not kept.
  if (errors.length === 0 && product_id !== null && !lines.has(product_id)) {
    errors.push({ pointer: "/product_id", code: "PRODUCT_UNKNOWN", expected: [...lines.keys()].join(", ") })
  }
  if (errors.length > 0) throw new ServiceError("SCHEMA_INVALID", "See errors for each field.", { errors })
  return { agentId, scope, value: product_id ?? channel ?? "" }
}

function resultOf(
  { signerOrNull }: AgentSalesDeps,
  { status, scope, product_id, channel, effective_at }: Said,
  { agentId, requestDigest }: ReceivedMessage,
  replayed: boolean,
): AgentSalesOptOutResult {
  const said = { status, scope, product_id, channel, effective_at }
  const signer = signerOrNull()
  const receipt: OptOutReceiptPayload | null = signer && {
    domain: "svc.sales.opt-out-receipt.v1",
    schema_version: "1.0.0",
    issuer: signer.issuer,
    audience: agentId,
    ...said,
    request_digest: requestDigest,
  }
  const next = status === "OPTED_OUT" ? "STOP" : "CONTINUE_OR_STOP"
  return {
    ...CONTRACT,
    ...said,
    replayed,
    receipt: signer && receipt && signedAnswer(signer, receipt),
    effects: NO_EFFECTS,
    limitations: ["OWN_AGENT_ONLY", "PURCHASES_STAY_POSSIBLE", ...(receipt ? [] : ["NO_KEY_SIGNS_RECEIPTS_NOW"])],
    next_machine_action: receipt ? next : "SEND_AGAIN_FOR_RECEIPT",
  }
}
