/** The scheme `agentEd25519` against an independent signer: each manipulation is refused with its reason, and changes nothing. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { getProofWalletInventory } from "../../schemas/agent-mode/proof-wallet.ts"
import { signHttpRequest } from "../../src/agent/sign-http.ts"
import { realMachine } from "../../src/machine.ts"
import type { TestAgent } from "../fixtures/agent.ts"
import { BASE_URL } from "../fixtures/service.ts"
import { type AgentService, agentService } from "../products/agent-mode/agent-service.ts"
import {
  asRequest,
  contentDigest,
  FIELDS,
  nonce,
  PARAMS,
  type SignedCall,
  type SigningChanges,
  signedCall,
} from "../products/agent-mode/signed-calls.ts"

const URL = BASE_URL + getProofWalletInventory.path
const BODY = {
  schema_version: "1.0.0",
  contract_version: "1.0.0",
  environment: "LIVE",
  filter: { artifact_types: [], validity: "ANY", issuer: null },
  page: { limit: 10, cursor: null },
}
const NONCE = nonce()
const SECOND = 1000

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

const OTHER_BODY = JSON.stringify({ ...BODY, page: { limit: 11, cursor: null } })
const header = (call: SignedCall, name: string) =>
  Object.entries(call.headers).find(([given]) => given.toLowerCase() === name)?.[1] ?? ""
const withHeader = (call: SignedCall, name: string, value: string | null): SignedCall => {
  const rest = Object.fromEntries(Object.entries(call.headers).filter(([given]) => given.toLowerCase() !== name))
  return { ...call, headers: value === null ? rest : { ...rest, [name]: value } }
}
const edited = (name: string, edit: (value: string) => string) => async (call: SignedCall) =>
  withHeader(call, name, edit(header(call, name)))
const twice = (name: string) => edited(name, (value) => `${value}, ${value}`)
const swapped = (list: readonly string[], a: number, b: number) =>
  list.map((item, i) => list[i === a ? b : i === b ? a : i] ?? item)
const without = (list: readonly string[], name: string) => list.filter((item) => item !== name)

type Manipulation = readonly [
  name: string,
  refusal: string,
  changes: SigningChanges,
  edit?: (call: SignedCall) => Promise<SignedCall>,
]

const REQUIRED = "403 AGENT_SIGNATURE_REQUIRED"
const malformed = (reason: string) => `422 SIGNATURE_PARAMETERS_INVALID ${reason}`
const invalid = (reason: string) => `403 AGENT_SIGNATURE_INVALID ${reason}`

const MANIPULATIONS: readonly Manipulation[] = [
  ["no Svc-Agent-Id", REQUIRED, {}, async (call) => withHeader(call, "svc-agent-id", null)],
  ["no Content-Digest", REQUIRED, {}, async (call) => withHeader(call, "content-digest", null)],
  ["no Signature-Input", REQUIRED, {}, async (call) => withHeader(call, "signature-input", null)],
  ["no Signature", REQUIRED, {}, async (call) => withHeader(call, "signature", null)],
  ["Svc-Agent-Id twice", malformed("DUPLICATE_HEADER"), {}, twice("svc-agent-id")],
  ["Content-Digest twice", malformed("DUPLICATE_HEADER"), {}, twice("content-digest")],
  ["Signature-Input twice", malformed("DUPLICATE_HEADER"), {}, twice("signature-input")],
  ["Signature twice", malformed("DUPLICATE_HEADER"), {}, twice("signature")],
  ["an agent id that is none", malformed("SYNTAX"), { agentId: "agent-1" }],
  [
    "an unclosed list of components",
    malformed("SYNTAX"),
    {},
    edited("signature-input", (value) => value.replace(")", "")),
  ],
  [
    "a signature that is no byte sequence",
    malformed("SYNTAX"),
    {},
    edited("signature", (value) => value.replaceAll(":", '"')),
  ],
  [
    "a signature of 63 bytes",
    malformed("SYNTAX"),
    {},
    async (call) => withHeader(call, "signature", `agent=:${Buffer.alloc(63).toString("base64")}:`),
  ],
  ["text after the parameters", malformed("SYNTAX"), {}, edited("signature-input", (value) => `${value} x`)],
  [
    "a digest that is a token",
    malformed("SYNTAX"),
    {},
    async (call) => withHeader(call, "content-digest", "sha-256=abc"),
  ],
  ["another label", malformed("LABEL"), { label: "sig1" }],
  [
    "a second label",
    malformed("LABEL"),
    {},
    async (call) => {
      const second = await sign({ label: "sig2" })
      const joined = (name: string) => `${header(call, name)}, ${header(second, name)}`
      return withHeader(
        withHeader(call, "signature-input", joined("signature-input")),
        "signature",
        joined("signature"),
      )
    },
  ],
  ["a component missing", malformed("COMPONENTS"), { fields: without(FIELDS, "content-digest") }],
  ["the method not covered", malformed("COMPONENTS"), { fields: without(FIELDS, "@method") }],
  ["one component more", malformed("COMPONENTS"), { fields: [...FIELDS, "@scheme"] }],
  ["components moved", malformed("COMPONENTS"), { fields: swapped(FIELDS, 0, 1) }],
  ["a query that is not there", malformed("COMPONENTS"), { fields: [...FIELDS, "@query"] }],
  [
    "a component with a parameter",
    malformed("COMPONENTS"),
    {},
    edited("signature-input", (value) => value.replace('"content-type"', '"content-type";sf')),
  ],
  ["a parameter missing", malformed("PARAMETERS"), { params: without(PARAMS, "expires") }],
  ["parameters moved", malformed("PARAMETERS"), { params: swapped(PARAMS, 2, 3) }],
  ["one parameter more", malformed("PARAMETERS"), {}, edited("signature-input", (value) => `${value};context="x"`)],
  [
    "a created that is a text",
    malformed("PARAMETERS"),
    {},
    edited("signature-input", (value) => value.replace(/created=(\d+)/, 'created="$1"')),
  ],
  ["another algorithm", malformed("ALGORITHM"), { algorithm: "hmac-sha256" }],
  [
    "an algorithm as a token",
    malformed("ALGORITHM"),
    {},
    edited("signature-input", (value) => value.replace('"ed25519"', "ed25519")),
  ],
  ["another tag", malformed("TAG"), { tag: "web-bot-auth" }],
  ["a key id that is none", malformed("KEY_ID"), { keyId: "key-1" }],
  ["a short nonce", malformed("NONCE"), { nonce: "short" }],
  ["a nonce of 43 characters that are no 32 bytes", malformed("NONCE"), { nonce: "_".repeat(43) }],
  ["a window of six minutes", malformed("WINDOW"), { expires: 360 * SECOND }],
  ["an end before the beginning", malformed("WINDOW"), { created: 10 * SECOND, expires: 10 * SECOND }],
  ["created in the future", malformed("CREATED_IN_FUTURE"), { created: 32 * SECOND, expires: 100 * SECOND }],
  ["expired", malformed("EXPIRED"), { created: -300 * SECOND, expires: -32 * SECOND }],
  ["another digest algorithm", malformed("DIGEST_ALGORITHM"), { digest: "md5=:1B2M2Y8AsgTpgAmY7PhCfg==:" }],
  [
    "two digest algorithms",
    malformed("DIGEST_ALGORITHM"),
    { digest: `${contentDigest(JSON.stringify(BODY))}, ${contentDigest(JSON.stringify(BODY), "sha512")}` },
  ],
  ["another body", invalid("BODY_DIFFERS"), {}, async (call) => ({ ...call, body: OTHER_BODY })],
  [
    "another body with its digest",
    invalid("SIGNATURE_MISMATCH"),
    {},
    async (call) => withHeader({ ...call, body: OTHER_BODY }, "content-digest", contentDigest(OTHER_BODY)),
  ],
  ["the key of another agent", invalid("KEY_NOT_ACCEPTED"), {}, async () => sign({ key: stranger.operational })],
  ["another agent's id", invalid("KEY_NOT_ACCEPTED"), {}, async () => sign({ agentId: stranger.agentId })],
  ["the recovery key", invalid("KEY_NOT_ACCEPTED"), {}, async () => sign({ key: agent.recovery })],
  ["an unknown agent", invalid("KEY_NOT_ACCEPTED"), { agentId: `svc:agent:${"A".repeat(32)}` }],
  [
    "the signature of another key",
    invalid("SIGNATURE_MISMATCH"),
    {},
    async () => sign({ key: stranger.operational, keyId: agent.operational.keyId }),
  ],
  ["signed for another method", invalid("SIGNATURE_MISMATCH"), { method: "PUT" }],
  ["signed for another host", invalid("SIGNATURE_MISMATCH"), { url: URL.replace("localhost", "svc.example") }],
  ["signed for another port", invalid("SIGNATURE_MISMATCH"), { url: URL.replace("localhost", "localhost:8402") }],
  ["signed for another path", invalid("SIGNATURE_MISMATCH"), { url: `${URL}/` }],
  ["a query added", malformed("COMPONENTS"), {}, async (call) => ({ ...call, url: `${URL}?x=1` })],
  [
    "another query",
    invalid("SIGNATURE_MISMATCH"),
    {},
    async () => ({ ...(await sign({ url: `${URL}?x=1` })), url: `${URL}?x=2` }),
  ],
  [
    "another time than was signed",
    invalid("SIGNATURE_MISMATCH"),
    {},
    edited("signature-input", (value) =>
      value
        .replace(/created=(\d+)/, (_, created) => `created=${Number(created) - 1}`)
        .replace(/expires=(\d+)/, (_, expires) => `expires=${Number(expires) - 1}`),
    ),
  ],
]

const asSent = async (call: SignedCall) => call
const rows = MANIPULATIONS.map(([name, refusal, changes, edit = asSent]) => [name, refusal, changes, edit] as const)

test.each(rows)("%s: %s", async (_name, refusal, changes, edit) => {
  const call = await sign({ nonce: NONCE, ...changes })
  const told = await tell(await edit(call))
  expect(told.refusal).toBe(refusal)
  expect(told.headers.get("accept-signature")).toBe(
    refusal === REQUIRED
      ? `agent=(${FIELDS.map((name) => `"${name}"`).join(" ")});created;expires;alg="ed25519";tag="svc-agent-ed25519"`
      : null,
  )
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
