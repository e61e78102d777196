/** The scheme `agentEd25519` against an independent signer: each manipulation is refused with its reason, and changes nothing. */
import { afterAll, beforeAll, expect } from "bun:test"
import { randomBytes } from "node:crypto"
import { changeKeys } from "../../src/agent/change-keys.ts"
import { enrol } from "../../src/agent/enrol.ts"
import { generateKeyFile, signingKey } from "../../src/agent/keys.ts"
import { signHttpRequest } from "../../src/agent/sign-http.ts"
import type { WantedChange } from "../../src/agent/wanted-change.ts"
import { realMachine } from "../../src/base/machine.ts"
import { type AgentService, agentService } from "../agent-mode/agent-service.ts"
import {
  asRequest,
  contentDigest,
  FIELDS,
  nonce,
  type SignedCall,
  type SigningChanges,
  signedCall,
} from "../agent-mode/signed-calls.ts"
import type { TestAgent } from "../fixtures/agent.ts"
import { BASE_URL } from "../fixtures/service.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import {
  BODY,
  header,
  invalid,
  MANIPULATIONS,
  type Manipulation,
  REQUIRED,
  SECOND,
  URL,
  withHeader,
} from "./signature-manipulations.ts"

const test = slowTests(import.meta.path)

const NONCE = nonce()

let service: AgentService
let agent: TestAgent
let stranger: TestAgent
beforeAll(async () => {
  service = await agentService()
  agent = await service.enrol()
  stranger = await service.enrol()
})
afterAll(() => service[Symbol.asyncDispose]())

const sign = (changes: SigningChanges = {}, url = URL, body: unknown = BODY) =>
  signedCall(agent, { url, body, at: service.clock.now() }, changes)
const tell = async (call: SignedCall) => service.told(await service.send(asRequest(call)))

test("at least the forty manipulations of the scheme are in the table", () => {
  expect(MANIPULATIONS.length).toBeGreaterThanOrEqual(40)
  expect(new Set(MANIPULATIONS.map(([name]) => name)).size).toBe(MANIPULATIONS.length)
})

const asSent: NonNullable<Manipulation[3]> = async (call) => call
const rows = MANIPULATIONS.map(([name, refusal, changes, edit = asSent]) => [name, refusal, changes, edit] as const)

test.each(rows)("%s: %s", async (_name, refusal, changes, edit) => {
  const call = await sign({ nonce: NONCE, ...changes })
  const told = await tell(await edit(call, { sign, agent, stranger }))
  expect(told.refusal).toBe(refusal)
  expect(told.headers.get("accept-signature")).toBe(
    refusal === REQUIRED
      ? `agent=(${FIELDS.map((name) => `"${name}"`).join(" ")});created;expires;alg="ed25519";tag="svc-agent-ed25519"`
      : null,
  )
})

const CHANGES: readonly (readonly [name: string, wanted: WantedChange])[] = [
  ["rotated", { kind: "ROTATE_OPERATIONAL", mode: "ROUTINE", compromiseSuspectedSince: null }],
  ["revoked", { kind: "REVOKE_OPERATIONAL", mode: "SELF", reason: "UNSPECIFIED", compromiseSuspectedSince: null }],
  ["of a revoked identity", { kind: "REVOKE_IDENTITY", reason: "CESSATION_OF_OPERATION" }],
]

test.each(CHANGES)("a key that was %s is not accepted any more", async (_name, wanted) => {
  const random = (length: number) => new Uint8Array(randomBytes(length))
  const { send } = service
  const keys = generateKeyFile(random)
  const { agentId, keyId, head } = await enrol({ keys, server: BASE_URL, send, remember: () => {} })
  const operational = signingKey(keys.operational)
  const ask = async () => tell(await sign({ agentId, key: operational, keyId }))
  expect((await ask()).status).toBe(200)
  const enrolled = { ...keys, server: BASE_URL, agent_id: agentId, key_id: keyId, head }
  await changeKeys({ keys: enrolled, wanted, send, random, keep: () => {} })
  expect((await ask()).refusal).toBe(invalid("KEY_NOT_ACCEPTED"))
})

test("no manipulation used up the nonce; the untouched request does, and only once", async () => {
  const call = await sign({ nonce: NONCE })
  expect((await tell(call)).status).toBe(200)
  expect((await tell(call)).refusal).toBe("409 NONCE_REPLAY")
  expect((await tell(await sign({ nonce: NONCE }))).refusal).toBe("409 NONCE_REPLAY")
})

test.each<[string, SigningChanges]>([
  ["at the edge of the future", { created: 30 * SECOND, expires: 330 * SECOND }],
  ["just expired", { created: -300 * SECOND, expires: -29 * SECOND }],
  ["with SHA-512", { digest: contentDigest(JSON.stringify(BODY), "sha512") }],
])("a request %s is accepted", async (_name, changes) => {
  expect((await tell(await sign(changes))).status).toBe(200)
})

test("a query is signed last", async () => {
  expect((await tell(await sign({}, `${URL}?x=1`))).status).toBe(200)
})

test("the schema of the body comes before the signature, and the Host header is never read", async () => {
  const call = await sign()
  expect((await tell({ ...call, body: "{}" })).refusal).toBe("422 SCHEMA_INVALID")
  expect((await tell(withHeader(call, "host", "other.example"))).status).toBe(200)
})

test("of two equal requests at once only one is answered", async () => {
  const call = await sign()
  const told = await Promise.all([tell(call), tell(call), tell(call)])
  expect(told.map(({ refusal, status }) => (status === 200 ? "200" : refusal)).sort()).toEqual([
    "200",
    "409 NONCE_REPLAY",
    "409 NONCE_REPLAY",
  ])
})

test("our own signer makes the same headers", async () => {
  const text = JSON.stringify(BODY)
  const machine = { now: service.clock.now, random: realMachine.random }
  const headers = signHttpRequest({ agentId: agent.agentId, key: agent.operational }, { url: URL, text }, machine)
  const drawn = /nonce="([^"]+)"/.exec(headers["signature-input"] ?? "")?.[1] ?? ""
  const at = Math.floor(service.clock.now() / SECOND) * SECOND
  const other = await signedCall(agent, { url: URL, body: text, at }, { nonce: drawn })
  for (const name of ["signature-input", "signature", "content-digest", "svc-agent-id"]) {
    expect(headers[name]).toBe(header(other, name))
  }
  expect((await service.send(new Request(URL, { method: "POST", headers, body: text }))).status).toBe(200)
})

test("a private key anywhere in the body is refused before its schema, and a payment header before the body", async () => {
  const jwk = { kty: "OKP", crv: "Ed25519", x: "x", d: "secret" }
  expect((await tell(await sign({}, URL, { ...BODY, a: [{ b: jwk }] }))).refusal).toBe(
    "422 PRIVATE_KEY_MATERIAL_REJECTED",
  )
  for (const name of ["payment-signature", "x-payment"]) {
    const told = await tell({ ...withHeader(await sign(), name, "e30="), body: "not json" })
    expect(told.refusal).toBe("403 ECONOMIC_ISOLATION")
    expect(told.headers.get("x-contract-version")).toBe("1.0.0")
    expect(told.headers.get("x-agent-mode-lifecycle")).toBe("ACTIVE")
  }
})
