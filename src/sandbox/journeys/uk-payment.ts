/** UK_PAYMENT_REVIEW: the invoice names another company. UK_SOURCE_UNAVAILABLE: without the register nothing is quoted. */

import { CAPSULE_HEADER } from "../../../schemas/answer-capsule.ts"
import { authorizeGbPayment, type GbPaymentRequest } from "../../../schemas/gb/payment.ts"
import { digestBytes } from "../../core/digest.ts"
import { readCapsule } from "../../offline/kinds/answer-document.ts"
import { Report } from "../../offline/report.ts"
import { gbPaymentExample } from "../../products/gb/payment/example.ts"
import type { Cast, MadeDocument } from "../journey-cast.ts"
import { COMPANY_NUMBER } from "../synthetic-boards.ts"
import { type PaidCall, payFor, presentPayment } from "./purchase.ts"

const OTHER_NAME = "SYNTHETIC HARBOUR LANTERN KITCHENS LIMITED"

export async function playUkReview(cast: Cast): Promise<MadeDocument[]> {
  const call = callOf(cast)
  const paid = await presentPayment(cast, call, await payFor(cast, call), 200)
  const { decision, execution_id: executionId } = paid.body ?? {}
  if (decision !== "REVIEW") throw new Error(`the journey is decided ${String(decision)}, not REVIEW`)
  await cast.transcript.call({
    actor: "AGENT",
    method: "GET",
    path: `/v1/gb/executions/${String(executionId)}`,
    status: 200,
  })
  const capsule = readCapsule(new TextEncoder().encode(paid.headers.get(CAPSULE_HEADER) ?? ""), new Report())?.capsule
  if (!capsule) throw new Error("the answer came without its capsule")
  return [{ type: "UK_DELIVERY", document: { answer: paid.body, capsule } }]
}

export async function playUkUnavailable(cast: Cast): Promise<MadeDocument[]> {
  const { transcript, boards } = cast
  await transcript.act("OPERATOR", "REMOVE_SOURCE", () => boards.removeRegister())
  await transcript.call({ actor: "AGENT", method: "POST", ...callOf(cast), status: 200 })
  return []
}

function callOf({ sandbox }: Cast): PaidCall {
  const example = gbPaymentExample({ at: sandbox.machine.now(), key: "synthetic-order-0001" }, COMPANY_NUMBER)
  const body: GbPaymentRequest = {
    ...example,
    invoice: { company_number: COMPANY_NUMBER, invoice_company_name: OTHER_NAME },
  }
  const headers = {
    "idempotency-key": body.idempotency_key,
    "x-cdo-request-body-digest": digestBytes(JSON.stringify(body)),
  }
  return { path: authorizeGbPayment.path, body, headers }
}
