/** Example bodies: those of the OpenAPI document, and those of `GET /v1/openapi-examples.json`, whose times are of the moment. */
import type { Operation } from "../../../schemas/operation.ts"
import { formatInstant } from "../../core/time.ts"

/** The time at which the example bodies of the rows are sent, and the service to which they are sent. */
const SENT_AT = Date.UTC(2026, 10, 23, 9)
const SENT_TO = "https://svc.example"

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/
const ONCE: ReadonlySet<string> = new Set(["nonce", "signature", "signatures"])

/** True for a body that a service refuses as it is: its times pass, and it is signed or used once. */
export function isOfOneMoment(body: unknown): boolean {
  if (typeof body === "string") return INSTANT.test(body)
  if (typeof body !== "object" || body === null) return false
  return Object.entries(body).some(([name, value]) => ONCE.has(name) || isOfOneMoment(value))
}

interface Sending {
  readonly operations: readonly Operation[]
  readonly baseUrl: string
  /** Time of sending, in milliseconds. */
  readonly at: number
}

/** Returns the example bodies by operation id, as they are sent at a time to a service. */
export function examplesSent({ operations, ...sending }: Sending): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    operations.flatMap(({ id, exampleBody }) => (exampleBody ? [[id, sent(exampleBody, sending)]] : [])),
  )
}

function sent(value: unknown, sending: Omit<Sending, "operations">): unknown {
  if (value === SENT_TO) return sending.baseUrl
  if (typeof value === "string") {
    return INSTANT.test(value) ? formatInstant(sending.at + Date.parse(value) - SENT_AT) : value
  }
  if (Array.isArray(value)) return value.map((one) => sent(one, sending))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, sent(one, sending)]))
}
