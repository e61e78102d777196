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
/** Without the value of the nonce, which is another one each time. */
const HINT = `agent=(${FIELDS.map((name) => `"${name}"`).join(" ")});created;expires;nonce;keyid;alg="ed25519";tag="svc-agent-ed25519"`

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
  const hint = told.headers.get("accept-signature")
  const isOfForm = refusal === REQUIRED || refusal.startsWith("422 SIGNATURE_PARAMETERS_INVALID")
  const general = hint?.replace(/nonce="[A-Za-z0-9_-]{43}"/, "nonce").replace(' "@query"', "") ?? null
  expect(general).toBe(isOfForm ? HINT : null)
})

/** Signs as the header of a refusal says, and adds nothing: a parameter without a value gets one of the signer's. */
async function signByHint(hint: string, url: string): Promise<SignedCall> {
  const [, label = "", fields = "", parameters = ""] = /^([a-z]+)=\(([^)]*)\)(.*)$/.exec(hint) ?? []
  const given = parameters.split(";").flatMap((text) => {
    const [, name, value] = /^([a-z]+)(?:="([^"]*)")?$/.exec(text) ?? []
    return name ? [[name, value] as const] : []
  })
  const values = Object.fromEntries(given)
  return sign(
    {
      label,
      fields: [...fields.matchAll(/"([^"]+)"/g)].map(([, name]) => name ?? ""),
      params: given.map(([name]) => name),
      ...(values["nonce"] && { nonce: values["nonce"] }),
      ...(values["keyid"] && { keyId: values["keyid"] }),
      algorithm: values["alg"] ?? "none",
      tag: values["tag"] ?? "none",
    },
    url,
  )
}

test.each([URL, `${URL}?page=2`])("exactly what Accept-Signature of a refusal says is accepted: %s", async (url) => {
  const unsigned = { method: "POST", url, body: JSON.stringify(BODY), headers: { "content-type": "application/json" } }
  const hints = new Set<string>()
  for (const refused of [unsigned, await sign({ tag: "another" }, url), unsigned]) {
    const { headers, refusal } = await tell(refused)
    const hint = headers.get("accept-signature") ?? ""
    expect([refusal, (await tell(await signByHint(hint, url))).status]).toEqual([refusal, 200])
    hints.add(hint)
  }
  // A hint that is used twice would be a replay.
  expect(hints.size).toBe(3)
})

test("a refusal names each header that is missing or wrong, with its form", async () => {
  const errorsOf = async (call: SignedCall) => (await (await service.send(asRequest(call))).json()).errors
  const call = await sign()
  const missing = await errorsOf(withHeader(withHeader(call, "signature", null), "content-digest", null))
  expect(missing).toEqual([
    {
      pointer: "header:Content-Digest",
      code: "HEADER_REQUIRED",
      expected: expect.stringContaining("sha-256=:BASE64:"),
    },
    { pointer: "header:Signature", code: "HEADER_REQUIRED", expected: expect.stringContaining("agent=:BASE64:") },
  ])
  const [wide] = await errorsOf(await sign({ expires: 400 * SECOND }))
  expect(wide).toMatchObject({ pointer: "header:Signature-Input", code: "WINDOW" })
  expect(wide.expected).toContain('("@method" "@authority"')
  expect(wide.expected).toEndWith("with 1 to 300 s from created to expires")
})

test("a refusal about a clock states the service's", async () => {
  const call = await sign({ created: 100 * SECOND, expires: 200 * SECOND })
  const { detail } = await (await service.send(asRequest(call))).json()
  expect(detail).toEndWith(`This service's clock says ${new Date(service.clock.now()).toISOString()}.`)
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

test.each([URL, `${URL}?x=1`])("who signs exactly what Accept-Signature says is accepted: %s", async (url) => {
  const refused = await service.send(asRequest(withHeader(await sign({}, url), "signature", null)))
  const hint = refused.headers.get("accept-signature") ?? ""
  const [, label = "", list = "", named = ""] = /^([a-z]+)=\(([^)]*)\);(.*)$/.exec(hint) ?? []
  const fields = list.split(" ").map((quoted) => quoted.slice(1, -1))
  const params = named.split(";").map((parameter) => parameter.split("=")[0] ?? "")
  const values = Object.fromEntries(named.split(";").map((parameter) => parameter.split("=")))
  const { tag = "", alg = "" } = values
  const call = await sign({ label, fields, params, tag: tag.slice(1, -1), algorithm: alg.slice(1, -1) }, url)
  expect((await tell(call)).status).toBe(200)
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
