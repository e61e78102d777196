/** A service in this process, and calls of its contact routes. */
import { expect } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { ContactAnswer } from "../../schemas/contact.ts"
import { ANSWER_OPERATIONS } from "../../schemas/product-operations.ts"
import { DecisionContactAnswer } from "../../schemas/us/decision-contact.ts"
import { PAYMENT_DECISION_PATH } from "../../schemas/us/payment-decision.ts"
import { routes } from "../../src/server/app.ts"
import { BASE_URL, clockAt, type TestService, testService } from "../fixtures/service.ts"

export const CHANNEL_PATH = "/v1/channels/acp/contact"
export const DECISION_PATH = `${PAYMENT_DECISION_PATH}/contact`
export const DECISION_PATHS = [CHANNEL_PATH, DECISION_PATH] as const
export const PRODUCT_PATHS = ANSWER_OPERATIONS.map(({ contact }) => contact.path)
export const INTENT = "RELEASE_PAYMENT_TO_SUPPLIER"

export interface ContactCalls {
  readonly clock: ReturnType<typeof clockAt>
  readonly send: (request: Request) => Promise<Response>
  /** From another address each time, unless the headers name one in X-Forwarded-For. */
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>
  readonly decision: (body: object, path?: string) => Promise<DecisionContactAnswer>
  readonly product: (path: string, body: object) => Promise<ContactAnswer>
}

export type ContactService = TestService & ContactCalls

let addresses = 0
function nextAddress(): string {
  addresses++
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}

export async function contactService(
  settings: Parameters<typeof testService>[1] = {},
  clock = clockAt(Date.UTC(2026, 10, 23)),
): Promise<ContactService> {
  return contactOf(await testService(clock, { rate_limits: "off", ...settings }), clock)
}

/** The calls of a service that has no rate limits. */
export function contactOf<Opened extends TestService>(
  running: Opened,
  clock: ReturnType<typeof clockAt>,
): Opened & ContactCalls {
  // Without a socket the peer is "unknown". Trusting it lets a test choose the client address with X-Forwarded-For.
  Object.assign(running.service.shell, { trustedProxies: new Set(["unknown"]) })
  const app = routes(running.service)
  const send = async (request: Request) => app.handle(request)
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    send(
      new Request(BASE_URL + path, {
        method: "POST",
        headers: { "content-type": "application/json", "x-forwarded-for": nextAddress(), ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    )
  const checked = async (schema: typeof ContactAnswer | typeof DecisionContactAnswer, answer: Response) => {
    const given: unknown = await answer.json()
    expect([answer.status, [...Value.Errors(schema, given)]]).toEqual([200, []])
    return given
  }
  return {
    ...running,
    clock,
    send,
    post,
    decision: async (body, path = CHANNEL_PATH) =>
      (await checked(DecisionContactAnswer, await post(path, body))) as DecisionContactAnswer,
    product: async (path, body) => (await checked(ContactAnswer, await post(path, body))) as ContactAnswer,
  }
}
