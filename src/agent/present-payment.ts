import { Value } from "@sinclair/typebox/value"
import { PaymentRequired, SettleResponse } from "../../schemas/x402.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import type { LongWork } from "../base/long-work.ts"
import type { Machine } from "../base/machine.ts"
import { SECOND } from "../core/time.ts"
import { headerJson } from "./header-json.ts"
import { DELIVERY_BYTES_MAX, postText, refused, type Send, type ServiceReply } from "./service-call.ts"

interface Presentation {
  readonly send: Send
  readonly url: string
  /** The exact text whose digest the quote contains. */
  readonly body: string
  /** The payment header. */
  readonly header: string
  /** Additional headers that the product's route requires. */
  readonly headers: Readonly<Record<string, string>>
  readonly waitSeconds: number
  readonly machine: Pick<Machine, "monotonic">
  readonly sleep: (ms: number) => Promise<unknown>
  /** What to do after an answer that is lost or late. */
  readonly repeat: string
  readonly work?: LongWork
}

const PAUSE_SECONDS_MAX = 30
/** Longer than the maximum time that a service waits for the inclusion of a payment. */
const ANSWER_WITHIN_MS = 150 * SECOND

/**
 * Presents one payment until the delivery arrives, always with the same header. Throws CommandError: 3 if the payment was rejected, 4 if
 * the outcome is unknown (repeating the same call never pays twice).
 */
export async function presentPayment(input: Presentation): Promise<ServiceReply> {
  const { send, url, body, header, headers, machine, sleep } = input
  input.work?.step({ what: "waiting for the answer" })
  const until = machine.monotonic() + input.waitSeconds * SECOND
  for (;;) {
    const reply = await postText(send, url, body, {
      headers: { ...headers, "payment-signature": header },
      timeoutMs: ANSWER_WITHIN_MS,
      bytesMax: DELIVERY_BYTES_MAX,
    }).catch((error) => throwLostReply(error, input.repeat))
    if (reply.status === 200) return reply
    if (reply.status === 402) throw notTaken(reply)
    if (reply.status !== 202) throw refused("payment", reply)
    const pauseMs = retryAfterSeconds(reply.headers) * SECOND
    if (machine.monotonic() + pauseMs > until) {
      throw new CommandError(EXIT.NOT_CHECKED, `the payment is still being settled; ${input.repeat}`)
    }
    await sleep(pauseMs)
  }
}

/** Without an answer it is unknown whether the payment was used. Only a repeat with the same payment is safe. */
function throwLostReply(error: unknown, repeat: string): never {
  if (!(error instanceof CommandError)) throw error
  throw new CommandError(error.exit, `${error.message}; ${repeat}`)
}

function retryAfterSeconds(headers: Headers): number {
  const given = headers.get("retry-after") ?? ""
  return /^\d{1,6}$/.test(given) ? Math.min(Math.max(Number(given), 1), PAUSE_SECONDS_MAX) : 1
}

/** A second 402 is never paid (rulings 43): a person must look at the fault of this payment. */
function notTaken({ headers }: ServiceReply): CommandError {
  const settled = headerJson(headers.get("payment-response"))
  const required = headerJson(headers.get("payment-required"))
  const failed = Value.Check(SettleResponse, settled) && !settled.success
  const reason = failed ? settled.errorReason : Value.Check(PaymentRequired, required) ? required.error : undefined
  const said = /^[\w .,:-]{1,200}$/.test(reason ?? "") ? `: ${reason}` : ""
  return new CommandError(
    EXIT.INVALID,
    `the payment was rejected${said}. ${failed ? "The service says it transferred nothing; the" : "The"} quote it answered with is not paid and nothing new was signed`,
  )
}

/** Returns the transaction of a delivered answer, or null if the header is missing or empty. */
export function settledTransaction(headers: Headers): string | null {
  const settled = headerJson(headers.get("payment-response"))
  return Value.Check(SettleResponse, settled) && settled.transaction !== "" ? settled.transaction : null
}
