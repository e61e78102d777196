/** An agent leaves sales, or comes back. It takes effect in the unit that answers, and no switch delays it. */
import type {
  AgentSalesOptOutResult,
  OptOutReceiptPayload,
  SignedAgentSalesOptOut,
} from "../../../../schemas/agent-mode/opt-out.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import { signedAnswer } from "../../../core/signer.ts"
import { formatInstant } from "../../../core/time.ts"
import { type FieldError, ServiceError } from "../../../errors.ts"
import type { Call, Reply } from "../../../http/call.ts"
import { revokeLiveConsents } from "../../../store/agent-mode/beacon-consents.ts"
import { isOptedOut, type OptOutSubject, recordOptOut } from "../../../store/agent-mode/sales-opt-outs.ts"
import { CONTRACT, NO_EFFECTS } from "../answer-members.ts"
import type { AgentSalesDeps } from "../deps.ts"
import { type Acting, actOnMessage } from "../messages/act-on-message.ts"
import { requireCurrent } from "../messages/message-times.ts"
import { requireSigned } from "../messages/received-message.ts"
import { refusalError } from "../messages/refusal.ts"
import type { ServedCatalogue } from "../served-catalogue.ts"

export async function replyOptOut(
  deps: AgentSalesDeps,
  catalogue: ServedCatalogue,
  { body, at }: Call<SignedAgentSalesOptOut>,
): Promise<Reply> {
  const subject = subjectOf(body, catalogue)
  requireCurrent(body, at)
  const message = await requireSigned(deps, body, "SALES_OPT_OUT", at)
  const action = body.action ?? "OPT_OUT"
  const { requestDigest } = message
  const effectiveAt = formatInstant(at)
  const result = resultOf(deps, body, effectiveAt, requestDigest)
  const acting: Acting = {
    *write() {
      const wasOut = yield* isOptedOut(subject)
      // CHOICE: a state that holds already is not recorded again.
      if (wasOut !== (action === "OPT_OUT")) yield* recordOptOut({ ...subject, action, effectiveAt, requestDigest })
      if (subject.scope === "ALL" && action === "OPT_OUT") yield* revokeLiveConsents(subject.agentId, effectiveAt)
      return { response: canonicalize(result), replayed: false }
    },
  }
  const acted = await deps.store.run(() => actOnMessage(message, acting))
  if (acted.kind === "REFUSED") throw refusalError(acted, deps.baseUrl())
  const answer: AgentSalesOptOutResult = {
    ...(JSON.parse(acted.response) as AgentSalesOptOutResult),
    replayed: acted.replayed,
  }
  return { status: 200, body: answer, note: { scope: body.scope, status: answer.status } }
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
  deps: AgentSalesDeps,
  { scope, product_id, channel, action, agent_id }: SignedAgentSalesOptOut,
  effective_at: string,
  request_digest: string,
): AgentSalesOptOutResult {
  const signer = deps.signer()
  const status = action === "OPT_IN" ? "OPTED_IN" : "OPTED_OUT"
  const said = { status, scope, product_id, channel, effective_at } as const
  const receipt: OptOutReceiptPayload = {
    domain: "svc.sales.opt-out-receipt.v1",
    schema_version: "1.0.0",
    issuer: signer.issuer,
    audience: agent_id,
    ...said,
    request_digest,
  }
  return {
    ...CONTRACT,
    ...said,
    replayed: false,
    receipt: signedAnswer(signer, receipt),
    effects: NO_EFFECTS,
    limitations: ["OWN_AGENT_ONLY", "PURCHASES_STAY_POSSIBLE"],
    next_machine_action: status === "OPTED_OUT" ? "STOP" : "CONTINUE_OR_STOP",
  }
}
