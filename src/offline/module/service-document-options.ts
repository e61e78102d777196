/** Reads strictly what the caller of the service document verifier knows and allows. */

import type { DocumentCrypto } from "../../core/crypto/document-crypto.ts"
import { memberOf } from "../../core/strict-json.ts"
import { PORTABLE_CRYPTO } from "../portable/portable-crypto.ts"
import { type IssuerKeys, statementKeys } from "../steps/issuer-keys.ts"
import { jsonOf, OptionError, timeOf } from "../steps/options.ts"

export interface ServiceDocumentOptions {
  /** JSON of the issuer's JWK set, obtained separately from the document. */
  readonly issuer: string
  /** Judge at this RFC 3339 time instead of now. */
  readonly at?: string
  /** Other documents of the service, unchanged. Each must be listed by its digest. */
  readonly documents?: readonly (string | Uint8Array)[]
  /** Accept bytes that are not canonical, such as a pretty-printed copy. */
  readonly reformatted?: boolean
}

export interface ServiceDocumentTerms {
  readonly keys: IssuerKeys
  readonly crypto: DocumentCrypto
  readonly at: number
  readonly atGiven: boolean
  readonly documents: readonly (string | Uint8Array)[]
  readonly reformatted: boolean
}

const NAMES = ["issuer", "at", "documents", "reformatted"]

/** Throws OptionError. */
export function readServiceDocumentOptions(options: ServiceDocumentOptions): ServiceDocumentTerms {
  for (const name of Object.keys(options)) {
    if (!NAMES.includes(name)) throw new OptionError(name, `is no option; the options are ${NAMES.join(", ")}`)
  }
  const { issuer, at, documents = [], reformatted = false } = options
  if (typeof issuer !== "string") throw new OptionError("issuer", "takes the JSON of the issuer's JWK set")
  if (at !== undefined && typeof at !== "string") throw new OptionError("at", "takes a string")
  if (typeof reformatted !== "boolean") throw new OptionError("reformatted", "takes a boolean")
  const areDocuments =
    Array.isArray(documents) && documents.every((one) => typeof one === "string" || one instanceof Uint8Array)
  if (!areDocuments) throw new OptionError("documents", "takes a list of texts or bytes")
  const issuerKeys = memberOf(jsonOf("issuer", issuer), "keys")
  if (!Array.isArray(issuerKeys)) throw new OptionError("issuer", "takes the JSON of the issuer's JWK set")
  if (issuerKeys.some((key) => memberOf(key, "d") !== undefined)) {
    throw new OptionError("issuer", "contains private keys; never share it")
  }
  return {
    keys: statementKeys(issuerKeys, PORTABLE_CRYPTO),
    crypto: PORTABLE_CRYPTO,
    at: at === undefined ? Date.now() : timeOf(at),
    atGiven: at !== undefined,
    documents,
    reformatted,
  }
}
