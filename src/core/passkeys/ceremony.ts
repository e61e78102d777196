/**
 * Passkeys (WebAuthn Level 3): the two ceremonies as a server verifies them. Pure, without CBOR and without attestation: a registration proves
 * nothing by itself, so who enrols a key also signs with it. Runs in a browser.
 */
import type { PasskeyAssertion } from "../../../schemas/review.ts"
import { concatBytes, decodeBase64url, sameBytes } from "../bytes.ts"
import type { DocumentCrypto } from "../crypto/document-crypto.ts"
import { isObject, type JsonObject, jsonOrUndefined } from "../strict-json.ts"
import { type Passkey, readPasskey, sha256Of, verifyByPasskey } from "./passkey.ts"

/** What a page sends of a registration. `publicKey` is SubjectPublicKeyInfo; the texts are base64url without padding. */
export interface Registration {
  readonly credential_id: string
  readonly client_data_json: string
  readonly authenticator_data: string
  readonly public_key: string
  readonly algorithm: number
}

interface Expected {
  /** base64url without padding. */
  readonly challenge: string
  /** `scheme://host[:port]`, exactly. The host is the id of the relying party. */
  readonly origin: string
}

/** A credential whose key passed {@link readPasskey}. */
interface KnownCredential {
  readonly credentialId: string
  readonly key: Passkey
  /** The highest counter that it has shown. */
  readonly counter: number
}

export type CeremonyFault =
  /** A member is missing, or its text is no base64url. */
  | "SHAPE"
  | "CREDENTIAL"
  | "CLIENT_DATA"
  | "TYPE"
  | "CHALLENGE"
  | "ORIGIN"
  | "FRAMED"
  | "AUTHENTICATOR_DATA"
  | "RP_ID"
  | "NOT_PRESENT"
  | "NOT_VERIFIED"
  | "BACKUP_STATE"
  | "COUNTER"
  | "KEY"
  | "SIGNATURE"

type CeremonyResult<Value> = ({ readonly fault: null } & Value) | { readonly fault: CeremonyFault }

/** The members of `credential.toJSON()` of an assertion; null for anything else. Other members are not used. */
export function assertionIn(json: unknown): PasskeyAssertion | null {
  const texts = textsIn(json, ["clientDataJSON", "authenticatorData", "signature"])
  if (texts === null) return null
  const [credential_id = "", client_data_json = "", authenticator_data = "", signature = ""] = texts
  return { credential_id, client_data_json, authenticator_data, signature }
}

/** The same of a registration. */
export function registrationIn(json: unknown): Registration | null {
  const texts = textsIn(json, ["clientDataJSON", "authenticatorData", "publicKey"])
  const response = isObject(json) ? json["response"] : undefined
  const algorithm = isObject(response) ? response["publicKeyAlgorithm"] : undefined
  if (texts === null || typeof algorithm !== "number") return null
  const [credential_id = "", client_data_json = "", authenticator_data = "", public_key = ""] = texts
  return { credential_id, client_data_json, authenticator_data, public_key, algorithm }
}

/** The id, then these members of the response. */
function textsIn(json: unknown, names: readonly string[]): readonly string[] | null {
  if (!isObject(json) || json["type"] !== "public-key" || json["id"] !== json["rawId"]) return null
  const { id, response } = json
  if (!isObject(response)) return null
  const texts = [id, ...names.map((name) => response[name])]
  return texts.every((text) => typeof text === "string") ? texts : null
}

/** Verifies that the credential signed this challenge. The result has the counter to keep. */
export function checkAssertion(
  assertion: PasskeyAssertion,
  expected: Expected,
  credential: KnownCredential,
  crypto: DocumentCrypto,
): CeremonyResult<{ readonly counter: number }> {
  const clientData = decodeBase64url(assertion.client_data_json)
  const authenticatorData = decodeBase64url(assertion.authenticator_data)
  const signature = decodeBase64url(assertion.signature)
  if (clientData === null || authenticatorData === null || signature === null) return { fault: "SHAPE" }
  if (assertion.credential_id !== credential.credentialId) return { fault: "CREDENTIAL" }
  const fault =
    clientDataFault(clientData, "webauthn.get", expected) ?? authenticatorFault(authenticatorData, expected, crypto)
  if (fault !== null) return { fault }
  // No extension was requested, and only a registration attests a key: nothing follows the counter.
  if (authenticatorData.length !== FIXED_BYTES || has(authenticatorData, ATTESTED | EXTENDED)) {
    return { fault: "AUTHENTICATOR_DATA" }
  }
  const counter = counterIn(authenticatorData)
  if ((counter > 0 || credential.counter > 0) && counter <= credential.counter) return { fault: "COUNTER" }
  const message = concatBytes(authenticatorData, sha256Of(clientData, crypto))
  return verifyByPasskey(credential.key, { message, signature }, crypto)
    ? { fault: null, counter }
    : { fault: "SIGNATURE" }
}

/** Verifies a registration. Its key counts only after an assertion with it. */
export function checkRegistration(
  registration: Registration,
  expected: Expected,
  crypto: DocumentCrypto,
): CeremonyResult<{ readonly credential: KnownCredential }> {
  const { credential_id: credentialId, public_key: publicKey, algorithm } = registration
  const clientData = decodeBase64url(registration.client_data_json)
  const authenticatorData = decodeBase64url(registration.authenticator_data)
  const id = decodeBase64url(credentialId)
  if (clientData === null || authenticatorData === null || id === null) return { fault: "SHAPE" }
  const fault =
    clientDataFault(clientData, "webauthn.create", expected) ?? authenticatorFault(authenticatorData, expected, crypto)
  if (fault !== null) return { fault }
  const attested = attestedId(authenticatorData)
  if (attested === null) return { fault: "AUTHENTICATOR_DATA" }
  if (!sameBytes(attested, id)) return { fault: "CREDENTIAL" }
  const key = readPasskey({ publicKey, algorithm }, crypto)
  if (key === null) return { fault: "KEY" }
  return { fault: null, credential: { credentialId, key, counter: counterIn(authenticatorData) } }
}

/** The id of the relying party: the host of its origin. Null if the text names no host: an export may state any text. */
function rpIdOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).hostname || null : null
}

const utf8 = new TextEncoder()

function clientDataFault(bytes: Uint8Array, type: string, expected: Expected): CeremonyFault | null {
  const read = jsonOrUndefined(bytes)
  if (!isObject(read)) return "CLIENT_DATA"
  const data = read as JsonObject
  if (data["type"] !== type) return "TYPE"
  if (data["challenge"] !== expected.challenge) return "CHALLENGE"
  if (data["origin"] !== expected.origin) return "ORIGIN"
  if (isStated(data["crossOrigin"]) || isStated(data["topOrigin"])) return "FRAMED"
  // Token binding is not verified here, so nothing may claim it.
  return isStated(data["tokenBinding"]) ? "CLIENT_DATA" : null
}

function isStated(value: unknown): boolean {
  return value !== undefined && value !== false
}

/** Bytes of the hash of the relying party's id, the flags and the counter. */
const FIXED_BYTES = 37
const PRESENT = 0x01
const VERIFIED = 0x04
const BACKUP_ELIGIBLE = 0x08
const BACKED_UP = 0x10
const ATTESTED = 0x40
const EXTENDED = 0x80

/** True if the flags have one of `flags`. */
function has(data: Uint8Array, flags: number): boolean {
  return ((data[32] ?? 0) & flags) !== 0
}

function authenticatorFault(
  data: Uint8Array,
  { origin }: Expected,
  crypto: Pick<DocumentCrypto, "digestBytes">,
): CeremonyFault | null {
  if (data.length < FIXED_BYTES) return "AUTHENTICATOR_DATA"
  const rpId = rpIdOf(origin)
  if (rpId === null) return "ORIGIN"
  if (!sameBytes(data.subarray(0, 32), sha256Of(utf8.encode(rpId), crypto))) return "RP_ID"
  if (!has(data, PRESENT)) return "NOT_PRESENT"
  if (!has(data, VERIFIED)) return "NOT_VERIFIED"
  return has(data, BACKED_UP) && !has(data, BACKUP_ELIGIBLE) ? "BACKUP_STATE" : null
}

function counterIn(data: Uint8Array): number {
  return new DataView(data.buffer, data.byteOffset).getUint32(33)
}

/** Bytes of the model's id and the length of the credential's id. */
const ATTESTED_HEAD_BYTES = 18
/** WebAuthn 4, "Credential ID". */
const CREDENTIAL_ID_BYTES_MAX = 1023

/** The credential's id in the attested data. Its CBOR key after it is not read: the page sends the same key as SubjectPublicKeyInfo. */
function attestedId(data: Uint8Array): Uint8Array | null {
  const from = FIXED_BYTES + ATTESTED_HEAD_BYTES
  if (!has(data, ATTESTED) || data.length < from) return null
  const length = new DataView(data.buffer, data.byteOffset).getUint16(from - 2)
  const isWhole = length > 0 && length <= CREDENTIAL_ID_BYTES_MAX && from + length < data.length
  return isWhole ? data.slice(from, from + length) : null
}
