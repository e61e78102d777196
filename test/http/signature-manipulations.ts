/** Signed requests that were changed, and the refusal of each. Each change is made to a request that would be accepted. */
import { getProofWalletInventory } from "../../schemas/agent-mode/proof-wallet.ts"
import { contentDigest, FIELDS, PARAMS, type SignedCall, type SigningChanges } from "../agent-mode/signed-calls.ts"
import type { TestAgent } from "../fixtures/agent.ts"
import { BASE_URL } from "../fixtures/service.ts"

export const URL = BASE_URL + getProofWalletInventory.path
export const BODY = {
  schema_version: "1.0.0",
  contract_version: "1.0.0",
  environment: "LIVE",
  filter: { artifact_types: [], validity: "ANY", issuer: null },
  page: { limit: 10, cursor: null },
}
export const SECOND = 1000

export interface Parties {
  /** Signs {@link BODY} as the agent. */
  readonly sign: (changes?: SigningChanges) => Promise<SignedCall>
  readonly agent: TestAgent
  readonly stranger: TestAgent
}

const OTHER_BODY = JSON.stringify({ ...BODY, page: { limit: 11, cursor: null } })
export const header = (call: SignedCall, name: string) =>
  Object.entries(call.headers).find(([given]) => given.toLowerCase() === name)?.[1] ?? ""
export const withHeader = (call: SignedCall, name: string, value: string | null): SignedCall => {
  const rest = Object.fromEntries(Object.entries(call.headers).filter(([given]) => given.toLowerCase() !== name))
  return { ...call, headers: value === null ? rest : { ...rest, [name]: value } }
}
const edited = (name: string, edit: (value: string) => string) => async (call: SignedCall) =>
  withHeader(call, name, edit(header(call, name)))
const twice = (name: string) => edited(name, (value) => `${value}, ${value}`)
const swapped = (list: readonly string[], a: number, b: number) =>
  list.map((item, i) => list[i === a ? b : i === b ? a : i] ?? item)
const without = (list: readonly string[], name: string) => list.filter((item) => item !== name)

export type Manipulation = readonly [
  name: string,
  refusal: string,
  changes: SigningChanges,
  edit?: (call: SignedCall, parties: Parties) => Promise<SignedCall>,
]

export const REQUIRED = "403 AGENT_SIGNATURE_REQUIRED"
const malformed = (reason: string) => `422 SIGNATURE_PARAMETERS_INVALID ${reason}`
export const invalid = (reason: string) => `403 AGENT_SIGNATURE_INVALID ${reason}`

export const MANIPULATIONS: readonly Manipulation[] = [
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
  [
    "more characters than a header line has",
    malformed("SYNTAX"),
    {},
    edited("signature-input", (value) => `${value};x="${"y".repeat(4096)}"`),
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
    async (call, { sign }) => {
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
  [
    "a component in place of another",
    malformed("COMPONENTS"),
    { fields: FIELDS.map((name) => (name === "@path" ? "@target-uri" : name)) },
  ],
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
  [
    "a parameter in place of another",
    malformed("PARAMETERS"),
    {},
    edited("signature-input", (value) => value.replace(";tag=", ";context=")),
  ],
  [
    "a parameter twice",
    malformed("PARAMETERS"),
    {},
    edited("signature-input", (value) => value.replace(/;tag="[^"]+"/, (tag) => tag + tag)),
  ],
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
  ["a token of an issuer as nonce", malformed("NONCE"), { nonce: `glpat-${"x7".repeat(18)}A` }],
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
  [
    "the key of another agent",
    invalid("KEY_NOT_ACCEPTED"),
    {},
    async (_, { sign, stranger }) => sign({ key: stranger.operational }),
  ],
  [
    "another agent's id",
    invalid("KEY_NOT_ACCEPTED"),
    {},
    async (_, { sign, stranger }) => sign({ agentId: stranger.agentId }),
  ],
  ["the recovery key", invalid("KEY_NOT_ACCEPTED"), {}, async (_, { sign, agent }) => sign({ key: agent.recovery })],
  ["an unknown agent", invalid("KEY_NOT_ACCEPTED"), { agentId: `svc:agent:${"A".repeat(32)}` }],
  [
    "the signature of another key",
    invalid("SIGNATURE_MISMATCH"),
    {},
    async (_, { sign, agent, stranger }) => sign({ key: stranger.operational, keyId: agent.operational.keyId }),
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
    async (_, { sign }) => ({ ...(await sign({ url: `${URL}?x=1` })), url: `${URL}?x=2` }),
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
