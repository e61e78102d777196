/** Each example of the OpenAPI document, or of the route that it names, is valid, and a server accepts it or refuses only what is invented. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { isOfOneMoment } from "../../../src/discovery/openapi/examples.ts"
import { type Bench, openBench } from "../../delivery/selling-bench.ts"
import { OpenapiChecker, type OpenapiDocument, printedOpenapi } from "../../fixtures/openapi.ts"
import { PRODUCT_ROWS, purchaseOf } from "../../fixtures/products.ts"
import { type ServedService, servedService } from "../../fixtures/served.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import type { TestServer } from "../../fixtures/test-server.ts"

const test = slowTests(import.meta.path)
const checker = new OpenapiChecker(JSON.parse(printedOpenapi()) as OpenapiDocument)

/** Bodies that no server can accept: their key is enrolled nowhere, or they name a record or a token that was never made. */
const INVENTED: Readonly<Record<string, string>> = {
  ProveAgentIdentityChallenge: "CHALLENGE_NOT_FOUND",
  ProveAgentIdentityChallengeByDescriptor: "CHALLENGE_NOT_FOUND",
  grant_intent_beacon_consent: "AGENT_SIGNATURE_REJECTED",
  revoke_intent_beacon_consent: "AGENT_SIGNATURE_REJECTED",
  accept_intent_beacon_event: "AGENT_SIGNATURE_REJECTED",
  hold_agent_dialogue: "AGENT_SIGNATURE_REJECTED",
  opt_out_of_agent_sales: "AGENT_SIGNATURE_REJECTED",
  import_proof_wallet_artifact: "AGENT_SIGNATURE_REQUIRED",
  get_proof_wallet_inventory: "AGENT_SIGNATURE_REQUIRED",
  redeem_gb_authorization_token: "TOKEN_UNKNOWN",
  revoke_gb_authorization_token: "TOKEN_UNKNOWN",
  status_gb_authorization_token: "TOKEN_UNKNOWN",
  redeem_us_authorization_token: "TOKEN_UNKNOWN",
  revoke_us_authorization_token: "TOKEN_UNKNOWN",
  status_us_authorization_token: "TOKEN_UNKNOWN",
  enroll_buyer_delegation: "DELEGATION_REFUSED",
  revoke_buyer_delegation: "REVOCATION_REFUSED",
  revoke_buyer_mandate: "REVOCATION_REFUSED",
  recover_payment_decision: "RECOVERY_AGENT_UNKNOWN",
  release_payment_to_supplier: "AGENT_NOT_FOUND",
  us_vendor_payment_detail_change_authorize: "AGENT_NOT_FOUND",
  us_payment_authorize: "REFERENCE_NOT_USABLE",
  us_vendor_authorization_continue: "REFERENCE_NOT_USABLE",
  gb_vendor_payment_detail_change_authorize: "REFERENCE_NOT_USABLE",
}

const PARAMETERS: Readonly<Record<string, string>> = {
  challengeId: "A".repeat(32),
  delegationId: `dgn_${"A".repeat(22)}`,
  consentId: "consent-2026-1",
}

const bodies = Object.entries(checker.document.paths).flatMap(([path, { post: operation }]) =>
  operation?.requestBody ? [[operation.operationId, { path, operation }] as const] : [],
)
const isSold = ({ path }: { readonly path: string }) => PRODUCT_ROWS.some((row) => row.path === path)

test("an example in the document has neither a time nor a nonce nor a signature", () => {
  const kept = bodies.flatMap(([, { operation }]) => checker.example(operation) ?? [])
  expect(kept.length).toBeGreaterThan(20)
  expect(kept.filter(isOfOneMoment)).toEqual([])
  expect(isOfOneMoment({ a: [{ at: "2026-11-23T09:00:00Z" }] })).toBe(true)
  expect(isOfOneMoment({ a: { nonce: "n" } })).toBe(true)
  expect(isOfOneMoment({ a: null, year: "2026" })).toBe(false)
})

/** Returns the faults of an example, and the status and code of its answer. */
async function outcome(
  { path, operation }: (typeof bodies)[number][1],
  get: (path: string) => Promise<Response>,
  post: (path: string, body: object) => Promise<Response>,
) {
  const place = checker.exampleAt(operation)
  const body = (place === null ? checker.example(operation) : await pointedAt(place, get)) as object
  const faults = checker.faults(operation.requestBody?.content["application/json"].schema ?? {}, body)
  const filled = path.replace(/\{([A-Za-z]+)\}/g, (_, name: string) => PARAMETERS[name] ?? "")
  const answer = await post(filled, body)
  const { code = null } = (await answer.json()) as { readonly code?: string }
  return { faults, status: answer.status, code }
}

/** `place`: a path with a JSON pointer as its fragment. */
async function pointedAt(place: string, get: (path: string) => Promise<Response>): Promise<unknown> {
  const [path = "", pointer = ""] = place.split("#")
  const names = pointer.split("/").slice(1)
  return names.reduce<unknown>(
    (value, name) => (value as Record<string, unknown>)[name],
    await (await get(path)).json(),
  )
}

describe("a server of free operations", () => {
  let served: ServedService
  beforeAll(async () => {
    served = await servedService({ agent_mode_planning: "on" })
  })
  afterAll(() => served[Symbol.asyncDispose]())

  test.each(bodies.filter(([, body]) => !isSold(body)))("%s takes its example", async (id, body) => {
    const get = (path: string) => fetch(served.origin + path)
    const headers = { "content-type": "application/json" }
    const post = (path: string, value: object) =>
      fetch(served.origin + path, { method: "POST", headers, body: JSON.stringify(value) })
    const { faults, status, code } = await outcome(body, get, post)
    expect({ faults, code, isTaken: status < 300 }).toEqual({
      faults: [],
      code: INVENTED[id] ?? null,
      isTaken: !(id in INVENTED),
    })
  })
})

describe("a server that sells", () => {
  let bench: Bench
  let server: TestServer
  beforeAll(async () => {
    bench = await openBench()
    server = await bench.server()
  })
  afterAll(() => bench.close())

  test.each(bodies.filter(([, body]) => isSold(body)))("%s quotes its example", async (id, body) => {
    const post = (path: string, value: object) => {
      const sent = purchaseOf({ country: path.startsWith("/v1/gb/") ? "GB" : "US", path }, value)
      return server.post(sent.body, sent.headers, path)
    }
    const { faults, status, code } = await outcome(body, server.get, post)
    expect({ faults, code, isQuoted: status === 402 }).toEqual({
      faults: [],
      code: INVENTED[id] ?? null,
      isQuoted: !(id in INVENTED),
    })
  })
})
