/**
 * The scheme `agentEd25519`. CHOICE: the interface names the scheme and does not show it. Here it is one fixed profile of HTTP Message Signatures (RFC 9421) with a Content-Digest (RFC 9530). An agent signs
 * method, authority, path, query, media type, body and its own id with its operational key. Pure: the key, the time and the nonces are the
 * caller's part.
 */
import { hash } from "node:crypto"
import { decodeBase64url, encodeBase64url } from "../base64url.ts"
import { encodeBase64, sameBytes } from "../bytes.ts"
import { verifySignature } from "../ed25519.ts"
import { isIssuedToken } from "../secrets/token-forms.ts"
import { SECOND } from "../time.ts"
import {
  type BareItem,
  type Dictionary,
  type InnerList,
  type Item,
  type Member,
  readDictionary,
} from "./structured-field.ts"

const SIGNATURE_LABEL = "agent"
const SIGNATURE_TAG = "svc-agent-ed25519"
const ALGORITHM = "ed25519"
const COMPONENTS = ["@method", "@authority", "@path", "content-type", "content-digest", "svc-agent-id"] as const
/** Seconds from `created` to `expires`. */
export const WINDOW_SECONDS_MAX = 300
/** Two correct clocks differ by at most this number of seconds. */
export const CLOCK_SKEW_SECONDS = 30

const AGENT_ID = /^svc:agent:[A-Za-z0-9_-]{32}$/
const KEY_ID = /^ed25519-[A-Za-z0-9_-]{43}$/
/** Length of 32 random bytes in base64url. */
const NONCE_CHARACTERS = 43

interface Parameter {
  readonly name: string
  /** How `Accept-Signature` asks for it (RFC 9421 section 5.1). Without a value the signer chooses one. */
  readonly hint: (nonce: string) => string
  /** What a signature writes after the name, for a reader. */
  readonly form: string
}

/** The parameters of a signature, in their order. */
const PARAMETERS: readonly Parameter[] = [
  { name: "created", hint: () => "", form: "=SECONDS" },
  { name: "expires", hint: () => "", form: "=SECONDS" },
  { name: "nonce", hint: (nonce) => `="${nonce}"`, form: `="${NONCE_CHARACTERS} BASE64URL CHARACTERS"` },
  { name: "keyid", hint: () => "", form: '="YOUR KEY ID"' },
  ...[
    { name: "alg", value: `="${ALGORITHM}"` },
    { name: "tag", value: `="${SIGNATURE_TAG}"` },
  ].map(({ name, value }) => ({ name, hint: () => value, form: value })),
]

/** One request as the server received it, or as the client will send it. */
interface HttpMessage {
  /** Upper case. */
  readonly method: string
  /** Host and port of the service's own base URL. The Host header is never read. */
  readonly authority: string
  /** Not decoded. */
  readonly path: string
  /** With its question mark, or empty. */
  readonly query: string
  readonly contentType: string
  readonly body: Uint8Array
}

interface SignatureTimes {
  /** Seconds since the epoch. */
  readonly created: number
  readonly expires: number
}

interface SignerNames {
  readonly agentId: string
  readonly keyId: string
  /** 32 random bytes as 43 base64url characters. */
  readonly nonce: string
}

/** A signature that is well-formed and belongs to the received body, but is not verified yet. */
interface PresentedSignature extends SignerNames, SignatureTimes {
  /** The text that the signature must cover. */
  readonly base: string
  /** 86 base64url characters. */
  readonly value: string
}

export type MalformedSignature =
  | "DUPLICATE_HEADER"
  | "SYNTAX"
  | "LABEL"
  | "COMPONENTS"
  | "PARAMETERS"
  | "ALGORITHM"
  | "TAG"
  | "KEY_ID"
  | "NONCE"
  | "WINDOW"
  | "CREATED_IN_FUTURE"
  | "EXPIRED"
  | "DIGEST_ALGORITHM"

export type SignatureProblem =
  | { readonly code: "REQUIRED" }
  | { readonly code: "PARAMETERS"; readonly reason: MalformedSignature }
  | { readonly code: "INVALID"; readonly reason: "BODY_DIFFERS" | "KEY_NOT_ACCEPTED" | "SIGNATURE_MISMATCH" }

type Headers = Pick<globalThis.Headers, "get">

/**
 * Reads the signature of a request at `at` (milliseconds). The checks run in the order of {@link MalformedSignature}, so that a request
 * with several faults always gets the same reason. The last one is BODY_DIFFERS.
 */
export function readHttpSignature(
  message: HttpMessage,
  headers: Headers,
  at: number,
): PresentedSignature | SignatureProblem {
  const sent = sentHeaders(headers)
  if (sent === null) return { code: "REQUIRED" }
  const read = fieldsOf(sent)
  if (typeof read === "string") return malformed(read)
  const { list, digests, value, agentId } = read
  const names = namesOf(list, message.query !== "")
  if (typeof names === "string") return malformed(names)
  const late = timeFault(names, at)
  if (late) return malformed(late)
  const digest = bodyDigest(digests)
  if (digest === null) return malformed("DIGEST_ALGORITHM")
  const actual = hash(digest.algorithm, message.body, "buffer")
  if (!sameBytes(actual, digest.bytes)) return { code: "INVALID", reason: "BODY_DIFFERS" }
  const base = signatureBase(message, { digest: sent.digest, agentId }, names)
  return { ...names, agentId, base, value }
}

/** `x` is the public key that the caller found ACTIVE for agent and key id, or null if there is none. */
export function checkHttpSignature({ base, value }: PresentedSignature, x: string | null): SignatureProblem | null {
  if (x === null) return { code: "INVALID", reason: "KEY_NOT_ACCEPTED" }
  return verifySignature(x, base, value) ? null : { code: "INVALID", reason: "SIGNATURE_MISMATCH" }
}

function malformed(reason: MalformedSignature): SignatureProblem {
  return { code: "PARAMETERS", reason }
}

interface SentHeaders {
  readonly agentId: string
  readonly digest: string
  readonly input: string
  readonly signature: string
}

function sentHeaders(headers: Headers): SentHeaders | null {
  const [agentId, digest, input, signature] = ["svc-agent-id", "content-digest", "signature-input", "signature"].map(
    (name) => headers.get(name),
  )
  return agentId && digest && input && signature ? { agentId, digest, input, signature } : null
}

interface SignatureFields {
  readonly agentId: string
  readonly digests: Dictionary
  readonly list: InnerList
  readonly value: string
}

/** A header that was sent twice arrives as one text with a comma. */
function fieldsOf({ agentId, digest, input, signature }: SentHeaders): SignatureFields | MalformedSignature {
  const [digests, inputs, signatures] = [digest, input, signature].map(readDictionary)
  const isTwice = [digests, inputs, signatures].some((read) => read && repeatsName(read))
  if (isTwice || agentId.includes(",")) return "DUPLICATE_HEADER"
  if (!digests || !inputs || !signatures || !AGENT_ID.test(agentId)) return "SYNTAX"
  if (!digests.every(([, member]) => isBytes(member))) return "SYNTAX"
  if (!inputs.every(([, member]) => "items" in member)) return "SYNTAX"
  if (!signatures.every(([, member]) => isBytes(member))) return "SYNTAX"
  const list = onlyAgent(inputs)
  const signed = onlyAgent(signatures)
  if (list === null || signed === null) return "LABEL"
  const { value } = signed as Item & { readonly value: Uint8Array }
  if (value.length !== 64) return "SYNTAX"
  return { agentId, digests, list: list as InnerList, value: encodeBase64url(value) }
}

function repeatsName(members: Dictionary): boolean {
  return new Set(members.map(([name]) => name)).size < members.length
}

function isBytes(member: Member): member is Item & { readonly value: Uint8Array } {
  return "value" in member && member.value instanceof Uint8Array && member.parameters.length === 0
}

function onlyAgent(members: Dictionary): Member | null {
  const [only] = members
  return members.length === 1 && only?.[0] === SIGNATURE_LABEL ? only[1] : null
}

type Names = Omit<SignerNames, "agentId"> & SignatureTimes

function namesOf({ items, parameters }: InnerList, hasQuery: boolean): Names | MalformedSignature {
  const components = coveredComponents(hasQuery)
  const isExact =
    items.length === components.length &&
    items.every(({ value, parameters: own }, i) => value === components[i] && own.length === 0)
  if (!isExact) return "COMPONENTS"
  const isComplete =
    parameters.length === PARAMETERS.length && parameters.every(([name], i) => name === PARAMETERS[i]?.name)
  const [created, expires, nonce, keyId, algorithm, tag] = parameters.map(([, value]): BareItem => value)
  if (!isComplete || typeof created !== "number" || typeof expires !== "number") return "PARAMETERS"
  if (algorithm !== ALGORITHM) return "ALGORITHM"
  if (tag !== SIGNATURE_TAG) return "TAG"
  if (typeof keyId !== "string" || !KEY_ID.test(keyId)) return "KEY_ID"
  if (typeof nonce !== "string" || !isNonce(nonce)) return "NONCE"
  const seconds = expires - created
  if (seconds < 1 || seconds > WINDOW_SECONDS_MAX) return "WINDOW"
  return { created, expires, nonce, keyId }
}

/** The service keeps the nonce, so it may be no secret of another service. */
function isNonce(nonce: string): boolean {
  return nonce.length === NONCE_CHARACTERS && decodeBase64url(nonce, 32) !== null && !isIssuedToken(nonce)
}

function timeFault({ created, expires }: SignatureTimes, at: number): "CREATED_IN_FUTURE" | "EXPIRED" | null {
  const now = at / SECOND
  if (created > now + CLOCK_SKEW_SECONDS) return "CREATED_IN_FUTURE"
  return now > expires + CLOCK_SKEW_SECONDS ? "EXPIRED" : null
}

/** Returns null unless the field has exactly one digest, of an algorithm that RFC 9530 calls active. */
function bodyDigest(
  digests: Dictionary,
): { readonly algorithm: "sha256" | "sha512"; readonly bytes: Uint8Array } | null {
  const [only] = digests
  if (digests.length !== 1 || !only || !isBytes(only[1])) return null
  const algorithm = ({ "sha-256": "sha256", "sha-512": "sha512" } as const)[only[0]]
  return algorithm ? { algorithm, bytes: only[1].value } : null
}

function coveredComponents(hasQuery: boolean): readonly string[] {
  return hasQuery ? [...COMPONENTS, "@query"] : COMPONENTS
}

function quotedComponents(hasQuery: boolean): string {
  return `(${coveredComponents(hasQuery)
    .map((name) => `"${name}"`)
    .join(" ")})`
}

function signatureParameters(hasQuery: boolean, { created, expires, nonce, keyId }: Names): string {
  const values: Readonly<Record<string, number | string>> = {
    created,
    expires,
    nonce: `"${nonce}"`,
    keyid: `"${keyId}"`,
    alg: `"${ALGORITHM}"`,
    tag: `"${SIGNATURE_TAG}"`,
  }
  return quotedComponents(hasQuery) + PARAMETERS.map(({ name }) => `;${name}=${values[name]}`).join("")
}

/** RFC 9421 section 2.5. */
function signatureBase(
  { method, authority, path, query, contentType }: Omit<HttpMessage, "body">,
  { digest, agentId }: { readonly digest: string; readonly agentId: string },
  names: Names,
): string {
  const lines = [
    `"@method": ${method}`,
    `"@authority": ${authority}`,
    `"@path": ${path}`,
    `"content-type": ${contentType}`,
    `"content-digest": ${digest}`,
    `"svc-agent-id": ${agentId}`,
    ...(query === "" ? [] : [`"@query": ${query}`]),
    `"@signature-params": ${signatureParameters(query !== "", names)}`,
  ]
  return lines.join("\n")
}

/** Value of `Accept-Signature` (RFC 9421 section 5.1). A signature that does what it says is accepted. `nonce`: fresh, 32 bytes in base64url. */
export function acceptSignature(query: string, nonce: string): string {
  const wanted = PARAMETERS.map(({ name, hint }) => `;${name}${hint(nonce)}`)
  return `${SIGNATURE_LABEL}=${quotedComponents(query !== "")}${wanted.join("")}`
}

/** The four headers of a signed request, and the form of each. */
export function expectedHeaders(query: string): readonly (readonly [name: string, expected: string])[] {
  const parameters = PARAMETERS.map(({ name, form }) => `;${name}${form}`).join("")
  return [
    ["Svc-Agent-Id", "your agent id: svc:agent: and 32 characters"],
    ["Content-Digest", "sha-256=:BASE64: or sha-512=:BASE64: of the bytes of the body (RFC 9530)"],
    [
      "Signature-Input",
      `${SIGNATURE_LABEL}=${quotedComponents(query !== "")}${parameters}, with 1 to ${WINDOW_SECONDS_MAX} s from created to expires`,
    ],
    ["Signature", `${SIGNATURE_LABEL}=:BASE64: of the 64 bytes of Ed25519 over the signature base (RFC 9421, 2.5)`],
  ]
}

/** What a signature has, for the document of signed forms. */
export const HTTP_SIGNATURE_PROFILE = {
  label: SIGNATURE_LABEL,
  components: [...COMPONENTS, "@query"],
  parameters: PARAMETERS.map(({ name }) => name),
  /** Parameters that have the same value in every signature. */
  fixedParameters: new Map([
    ["alg", ALGORITHM],
    ["tag", SIGNATURE_TAG],
  ]),
} as const

/** Returns the four headers of a signed request. `sign` returns the 64 bytes of the Ed25519 signature over the text. */
export function signedHttpHeaders(
  message: HttpMessage,
  names: SignerNames & SignatureTimes,
  sign: (base: string) => Uint8Array,
): Record<string, string> {
  const digest = `sha-256=:${hash("sha256", message.body, "base64")}:`
  const base = signatureBase(message, { digest, agentId: names.agentId }, names)
  return {
    "svc-agent-id": names.agentId,
    "content-digest": digest,
    "signature-input": `${SIGNATURE_LABEL}=${signatureParameters(message.query !== "", names)}`,
    signature: `${SIGNATURE_LABEL}=:${encodeBase64(sign(base))}:`,
  }
}
