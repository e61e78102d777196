/**
 * The output of a server contains no submitted value, no secret and no address, at its most verbose level and after every kind of fault.
 * The log may be stored, shipped and read by people who may not see such data.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { PAYMENT_DECISION_PATH } from "../../schemas/us/payment-decision.ts"
import type { Running } from "../fixtures/binary.ts"
import { DEV_ACCOUNTS, DEV_KEYS } from "../fixtures/chain.ts"
import { edits } from "../fixtures/json-edits.ts"
import { expectProblem, MARKER } from "../fixtures/problems.ts"
import type { RpcFault } from "../fixtures/rpc-proxy.ts"
import {
  ask,
  openTestOperator,
  paymentFor,
  present,
  SCENARIO_MS,
  type Signed,
  type TestOperator,
  untilReady,
} from "../fixtures/test-operator.ts"

setDefaultTimeout(SCENARIO_MS)

/** Every event a server writes, with the members it may have beside time, level and event. */
const EVENTS: Readonly<Record<string, readonly string[]>> = {
  started: ["data", "environment", "base_url", "payments", "key_id"],
  sources_loaded: ["names", "sources"],
  source_health_changed: ["source_id", "from", "to"],
  request: ["request_id", "operation", "status", "ms", "code", "product", "outcome", "decision", "state", "eligible"],
  delivered: ["decision_id", "delivery_id", "product", "decision", "arrival"],
  attempt_released: ["attempt_id"],
  attempt_concluded: ["attempt_id", "outcome"],
  readiness_changed: ["not_ready"],
  forwarded_address_ignored: ["why"],
  forwarded_address_missing: ["why"],
  access_log_failed: ["why"],
  stopping: ["signal"],
  stopped: [],
}

const CUSTOMER_KEY = "zq7-rpc-customer-key-zq7"
const DESTINATION = { type: "PAYOUT_DESTINATION_TOKEN", value: `${MARKER}-payee`, provider_namespace: `${MARKER}-bank` }
/** One marker in every free-text member, so that also an accepted request contains them. */
const MARKED = {
  idempotency_key: `${MARKER}-key`,
  supplier: {
    entity_id: `${MARKER}-entity`,
    legal_name: `Harbor ${MARKER} LLC`,
    identifiers: { lei: "5493001KJTIIGC8Y1R12" },
  },
  invoice: { obligation_id: `${MARKER}-obligation`, document_digest: `sha256:${"1".repeat(64)}` },
  payee: DESTINATION,
  payment_destination: DESTINATION,
  economic_purpose: `${MARKER} purpose`,
  correlation: { correlation_id: `${MARKER}-correlation`, trace_id: `${MARKER}-trace` },
  exposure_valuation_basis: `${MARKER} basis`,
}
const HEADERS = {
  "user-agent": MARKER,
  "x-forwarded-for": "203.0.113.77",
  "x-request-id": MARKER,
  "idempotency-key": MARKER,
  authorization: `Bearer ${MARKER}`,
  cookie: `session=${MARKER}`,
  traceparent: MARKER,
}

let operator: TestOperator
let server: Running
/** Every server whose log is read at the end. */
const servers: Running[] = []
let signed: Signed
let payment: Record<string, string>
beforeAll(async () => {
  operator = await openTestOperator({ rpcPath: `/v2/${CUSTOMER_KEY}` })
  server = await operator.serve(["--rate-limits", "off", "--settle-wait-ms", "600"])
  servers.push(server)
  signed = await operator.sign(MARKED)
})
afterAll(() => operator[Symbol.asyncDispose]())

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  fetch(server.origin + path, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...HEADERS, ...headers },
  })

test("a sale with markers in every free-text member passes eligibility, quote, payment, the same header again and recovery", async () => {
  const body = JSON.stringify(signed.request)
  expect((await post(`${PAYMENT_DECISION_PATH}/eligibility`, body)).status).toBe(200)
  expect((await post(PAYMENT_DECISION_PATH, body)).status).toBe(402)
  payment = await paymentFor(server.origin, signed)
  const { bytes } = await present(server.origin, signed, { ...HEADERS, ...payment })
  expect(bytes).toContain(`${MARKER}-obligation`)
  expect((await present(server.origin, signed, payment)).bytes).toBe(bytes)
  expect((await operator.recover(server.origin, signed)).exit).toBe(0)
})

test("refusals of every kind are problem documents without the submitted values", async () => {
  const { request } = signed
  const invoice = { ...MARKED.invoice, obligation_id: `${MARKER}-other` }
  const other = await operator.sign({ ...MARKED, idempotency_key: `${MARKER}-other`, invoice })
  // Another request for the sold payment gets the name of the decision, and no sent value.
  const again = await operator.sign({ ...MARKED, idempotency_key: `${MARKER}-again` })
  await expectProblem(await ask(server.origin, again.request, HEADERS), 409, "OBLIGATION_ALREADY_AUTHORIZED")
  const reused = await operator.sign({ ...MARKED, economic_purpose: `${MARKER} other purpose` })
  const badSignature = {
    ...other.request,
    requesting_agent: { ...other.request.requesting_agent, request_signature: MARKER },
  }
  await expectProblem(await ask(server.origin, badSignature, HEADERS), 403, "REQUEST_SIGNATURE_INVALID")
  await expectProblem(await ask(server.origin, request, HEADERS), 409, "ALREADY_ACQUIRED")
  await expectProblem(await ask(server.origin, reused.request, HEADERS), 409, "IDEMPOTENCY_KEY_REUSED")
  for (const header of [MARKER, Buffer.from(`{"x402Version":2,"payload":"${MARKER}"}`).toString("base64")]) {
    const answer = await ask(server.origin, other.request, { "payment-signature": header })
    await expectProblem(answer, 400, "PAYMENT_HEADER_MALFORMED")
  }
  // Another request's payment: its terms do not match this body, so nothing is charged and the response is a quote.
  expect((await ask(server.origin, other.request, payment)).status).toBe(402)
  const recover = (signature: string) => {
    const authentication = { issued_at: new Date().toISOString(), nonce: MARKER.repeat(2), signature }
    return post(`${PAYMENT_DECISION_PATH}/recover`, JSON.stringify({ request, authentication }))
  }
  await expectProblem(await recover(MARKER), 400, "SCHEMA_INVALID")
  // A real signature of the correct key over another text.
  const elsewhere = request.requesting_agent.request_signature
  await expectProblem(await recover(elsewhere), 422, "RECOVERY_SIGNATURE_INVALID")
  await expectProblem(await post(`${PAYMENT_DECISION_PATH}/recover`, MARKER, payment), 400, "PAYMENT_HEADER_FORBIDDEN")
})

test("a request with markers and one wrong member, and bodies that are not requests, are refused without their values", async () => {
  for (const { value } of edits(JSON.parse(JSON.stringify(signed.request)))) {
    const answer = await ask(server.origin, value, HEADERS)
    expect([402, 403, 409, 422]).toContain(answer.status)
  }
  const paths = [
    ...["", "/recover", "/eligibility"].map((end) => PAYMENT_DECISION_PATH + end),
    ...["challenges", `challenges/${MARKER}/prove`, `${MARKER}/prove`].map((end) => `/v1/agent-identities/${end}`),
    ...["enroll", `delegations/${MARKER}/revoke`, "mandates/revoke"].map(
      (end) => `/v1/us/decision-gates/buyer-onboarding/${end}`,
    ),
  ]
  for (const path of paths) {
    for (const body of [
      MARKER,
      `{"${MARKER}":"${MARKER}"}`,
      `{"${MARKER}":1,"${MARKER}":2}`,
      JSON.stringify([MARKER]),
    ]) {
      const answer = await post(path, body)
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.headers.get("content-type")).toBe("application/problem+json")
    }
  }
  for (const path of [`/${MARKER}`, `/v1/agent-identities/${MARKER}/status`, `/livez?q=${MARKER}`]) {
    await fetch(server.origin + path, { headers: HEADERS })
  }
})

/** A provider's response to one query during a payment, and the buyer's possible responses meanwhile. */
const FAULTS: readonly (readonly [string, RpcFault, readonly number[]])[] = [
  ["eth_call", { reject: true }, [503]],
  ["eth_getCode", { result: MARKER }, [402, 503]],
  ["eth_maxPriorityFeePerGas", { result: MARKER }, [200]],
  ["eth_getBalance", { error: { code: -32000, message: `no: ${MARKER}`, data: MARKER } }, [503]],
  [
    "eth_sendRawTransaction",
    { error: { code: -32000, message: `insufficient funds ${MARKER} ${DEV_KEYS[1]}` } },
    [202],
  ],
  ["eth_getTransactionReceipt", { result: { status: MARKER } }, [200, 202]],
  ["eth_getLogs", { error: { code: -32602, message: `no: ${MARKER}`, data: MARKER } }, [200, 202]],
  ["*", { reject: true }, [503]],
]

test.each(FAULTS)(
  "a sale ends well with a provider that gives a wrong response to %s, with the request in it",
  async (...row) => {
    const [method, fault, meanwhile] = row
    const id = `${MARKER}-${method}`
    const one = await operator.sign({
      ...MARKED,
      idempotency_key: id,
      invoice: { ...MARKED.invoice, obligation_id: id },
    })
    const before = (await operator.transfers()).length
    const header = await paymentFor(server.origin, one)
    operator.proxy.fault(method, fault)
    const answer = await ask(server.origin, one.request, header)
    operator.proxy.reset()
    await untilReady(server.origin)
    expect(meanwhile).toContain(answer.status)
    expect(await answer.text()).not.toContain(CUSTOMER_KEY)
    await present(server.origin, one, header)
    expect((await operator.transfers()).length).toBe(before + 1)
  },
)

test("a server started while its provider is unavailable reports it without naming the provider", async () => {
  operator.proxy.fault("*", { error: { code: -32000, message: MARKER, data: MARKER } })
  const blind = await operator.serve()
  operator.proxy.reset()
  expect(await blind.stop()).toBe(0)
  servers.push(blind)
})

test("no server output contains a marker, a key, a signature, a wallet or a network address", async () => {
  expect(await server.stop()).toBe(0)
  const secrets = forbidden()
  for (const { origin, out, err } of servers) {
    expect(out()).toBe(`listening ${origin}\n`)
    // Its own address is in the first line, and no other address is anywhere.
    const written = err().replaceAll(origin, "").toLowerCase()
    for (const secret of secrets) expect(written).not.toContain(secret.toLowerCase())
    expect(written).not.toMatch(/\b\d{1,3}(\.\d{1,3}){3}\b/)
    expect(written).not.toMatch(/0x[0-9a-f]{8}/)
    expect(written).not.toMatch(/https?:\/\//)
  }
})

/** Key ids are published, and key files name the server they belong to. */
const PUBLIC = /^ed25519-|^http:/

/** All sent or stored values that must stay private. */
function forbidden(): string[] {
  const file = (path: string) => readFileSync(path, "utf8").trim()
  const members = (path: string): string[] => strings(JSON.parse(file(path)))
  const issuerKeys = readdirSync(join(operator.data, "keys"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  // The quote key is 32 random bytes, which a log could only show encoded.
  const encoded = (path: string) =>
    (["hex", "base64", "base64url"] as const).map((encoding) => readFileSync(path).toString(encoding))
  const wallets = Object.values(DEV_ACCOUNTS).map(({ address }) => address.slice(2))
  const { requesting_agent: agent, buyer_mandate: mandate } = signed.request
  const header = payment["payment-signature"] ?? ""
  const found = [
    ...[MARKER, CUSTOMER_KEY, header, agent.request_signature, mandate.signature.value, "203.0.113.77"],
    ...strings(JSON.parse(Buffer.from(header, "base64").toString("utf8"))).filter((text) =>
      /^0x[0-9a-f]{64,}$/.test(text),
    ),
    ...DEV_KEYS.map((key) => key.slice(2)),
    ...wallets,
    ...issuerKeys.flatMap((path) => (path.endsWith(".json") ? [file(path), ...members(path)] : encoded(path))),
    ...members(operator.path("agent.json")),
    ...members(operator.path("mandate.key")),
  ].filter((text) => text.length >= 16 && !PUBLIC.test(text))
  expect(found.length).toBeGreaterThan(25)
  return found
}

function strings(value: unknown): string[] {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : []
}

test("every line of the log is one JSON object with a known event and only the members of that event", () => {
  const seen = new Set<string>()
  const lines = servers.flatMap(({ err }) => err().trimEnd().split("\n"))
  for (const line of lines) {
    const { time, level, event, ...fields } = JSON.parse(line) as Record<string, unknown>
    expect(new Date(String(time)).toISOString()).toBe(String(time))
    expect(["debug", "info", "warn"]).toContain(String(level))
    const known = EVENTS[String(event)]
    expect([event, Object.keys(fields).filter((name) => !known?.includes(name))]).toEqual([event, []])
    expect(known).toBeDefined()
    for (const value of Object.values(fields)) expect(typeof value === "object" && value !== null).toBe(false)
    seen.add(String(event))
  }
  const happened = ["started", "request", "delivered", "readiness_changed", "stopping", "stopped"]
  expect(happened.filter((event) => !seen.has(event))).toEqual([])
})
