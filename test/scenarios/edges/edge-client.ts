/**
 * A client that somebody else wrote: it knows only what the service publishes (signed forms, OpenAPI, examples) and uses only published
 * packages. It imports nothing of the program, which a test checks.
 */
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"
import { ExactEvmScheme } from "@x402/evm/exact/client"
import { wrapFetchWithPayment, x402Client } from "@x402/fetch"
import Ajv from "ajv/dist/2020"
import addFormats from "ajv-formats"
import canonicalize from "canonicalize"
import type { PrivateKeyAccount } from "viem/accounts"

export type Json = Record<string, unknown>

export interface EdgeKey {
  readonly keyId: string
  readonly jwk: { readonly kty: string; readonly crv: string; readonly x: string }
  readonly privateKey: KeyObject
}

interface PublishedForm {
  readonly schema: object
  readonly leaves_out: readonly string[]
  readonly value_at: string | null
  readonly carrier: string
  readonly operations: readonly string[]
  readonly signers: readonly string[]
}

interface PublishedRequest {
  readonly label: string
  readonly components: readonly string[]
  readonly parameters: readonly string[]
  readonly fixed_parameters: Readonly<Record<string, string>>
  readonly operations: readonly string[]
}

interface Published {
  readonly forms: Readonly<Record<string, PublishedForm>>
  readonly http_forms: Readonly<Record<string, PublishedRequest>>
}

const hash = (text: string | Uint8Array) => createHash("sha256").update(text)
const textOf = (value: unknown) => canonicalize(value) ?? ""
export const digestOf = (value: unknown) => `sha256:${hash(textOf(value)).digest("hex")}`
export const draw = (bytes = 24) => randomBytes(bytes).toString("base64url")
/** RFC 3339, some seconds from now. */
export const instant = (seconds = 0) => new Date(Date.now() + seconds * 1000).toISOString()

export function makeKey(): EdgeKey {
  const { privateKey } = generateKeyPairSync("ed25519")
  const { x = "" } = createPublicKey(privateKey).export({ format: "jwk" })
  const jwk = { crv: "Ed25519", kty: "OKP", x }
  return { keyId: `ed25519-${hash(textOf(jwk)).digest("base64url")}`, jwk, privateKey }
}

/** The digest form DESTINATION_FINGERPRINT. */
export function fingerprint({ type, value, provider_namespace }: Json): string {
  const text = String(value)
  const isAddress = /^0x[0-9a-fA-F]{40}$/.test(text)
  return digestOf({
    provider_namespace: provider_namespace ?? null,
    type,
    value: isAddress ? text.toLowerCase() : text,
  })
}

/** A copy without the members at these pointers of at most two steps. */
export function leftOut(value: Json, pointers: readonly string[]): Json {
  const copy = structuredClone(value)
  for (const pointer of pointers) {
    const [, first = "", second] = pointer.split("/")
    if (second === undefined) delete copy[first]
    else delete (copy[first] as Json)[second]
  }
  return copy
}

export class EdgeClient {
  /** Ids of the operations that were called. */
  readonly called = new Set<string>()
  private readonly ajv = new Ajv({ strict: false })

  private constructor(
    readonly origin: string,
    readonly published: Published,
    private readonly routes: ReadonlyMap<string, { readonly method: string; readonly path: string }>,
  ) {
    addFormats(this.ajv)
  }

  static async open(origin: string): Promise<EdgeClient> {
    const published = (await (await fetch(`${origin}/v1/agent/signed-forms`)).json()) as Published
    const openapi = (await (await fetch(`${origin}/v1/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>
    }
    const routes = Object.entries(openapi.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [operationId, { method, path }] as const),
    )
    return new EdgeClient(origin, published, new Map(routes))
  }

  url(operation: string, parameters: Readonly<Record<string, string>> = {}): string {
    const route = this.routes.get(operation)
    if (!route) throw new Error(`no operation ${operation}`)
    this.called.add(operation)
    return this.origin + route.path.replace(/\{([^}]+)\}/g, (_, name: string) => parameters[name] ?? "")
  }

  async post(operation: string, body: unknown, parameters: Readonly<Record<string, string>> = {}): Promise<Response> {
    const headers = { "content-type": "application/json" }
    return fetch(this.url(operation, parameters), { method: "POST", headers, body: JSON.stringify(body) })
  }

  async get(operation: string, parameters: Readonly<Record<string, string>> = {}): Promise<Json> {
    return (await (await fetch(this.url(operation, parameters))).json()) as Json
  }

  /** Signs a value of this form. Throws unless the published schema accepts it. */
  sign(form: string, value: unknown, { privateKey }: EdgeKey): string {
    const schema = this.published.forms[form]?.schema
    if (!schema) throw new Error(`no form ${form}`)
    const accepts = this.ajv.compile(schema)
    if (!accepts(value)) throw new Error(`${form}: ${this.ajv.errorsText(accepts.errors)}`)
    return sign(null, Buffer.from(textOf(value)), privateKey).toString("base64url")
  }

  /** The signed value of a body: the body without the members that the published form leaves out. */
  covered(form: string, body: Json): Json {
    return leftOut(body, this.published.forms[form]?.leaves_out ?? [])
  }

  signatureOf(form: string, value: unknown, key: EdgeKey, issuer: string): Json {
    return {
      algorithm: "Ed25519",
      canonicalization: "SVC-C14N-JSON-1",
      issuer,
      key_id: key.keyId,
      value: this.sign(form, value, key),
    }
  }

  /** A flat body with one signature in the member `signature`. */
  signedBody(form: string, body: Json, key: EdgeKey, issuer: string): Json {
    const value = this.covered(form, { ...body, signature: null })
    return { ...body, signature: this.signatureOf(form, value, key, issuer) }
  }

  /** A POST that is signed as the published AGENT_REQUEST. */
  async postSigned(operation: string, body: unknown, agentId: string, key: EdgeKey): Promise<Response> {
    const form = this.published.http_forms["AGENT_REQUEST"]
    if (!form) throw new Error("no AGENT_REQUEST")
    const url = new URL(this.url(operation))
    const text = JSON.stringify(body)
    const created = Math.floor(Date.now() / 1000)
    const headers: Record<string, string> = {
      "content-type": "application/json",
      "content-digest": `sha-256=:${hash(text).digest("base64")}:`,
      "svc-agent-id": agentId,
    }
    const derived: Record<string, string> = { "@method": "POST", "@authority": url.host, "@path": url.pathname }
    const components = form.components.filter((name) => name !== "@query")
    const values: Record<string, string | number> = {
      ...{ created, expires: created + 300, nonce: draw(32), keyid: key.keyId },
      ...form.fixed_parameters,
    }
    const parameters = form.parameters.map((name) => {
      const value = values[name] ?? ""
      return typeof value === "number" ? `;${name}=${value}` : `;${name}="${value}"`
    })
    const input = `(${components.map((name) => `"${name}"`).join(" ")})${parameters.join("")}`
    const lines = components.map((name) => `"${name}": ${derived[name] ?? headers[name] ?? ""}`)
    const base = [...lines, `"@signature-params": ${input}`].join("\n")
    const signature = sign(null, Buffer.from(base), key.privateKey).toString("base64")
    return fetch(url, {
      method: "POST",
      headers: { ...headers, "signature-input": `${form.label}=${input}`, signature: `${form.label}=:${signature}:` },
      body: text,
    })
  }

  /** Buys over x402 with a viem account. The official client signs exactly the quote's terms. */
  async buy(operation: string, body: unknown, account: PrivateKeyAccount): Promise<Response> {
    const client = new x402Client().register("eip155:8453", new ExactEvmScheme(account))
    const paying = wrapFetchWithPayment(fetch, client)
    const headers = { "content-type": "application/json" }
    return paying(this.url(operation), { method: "POST", headers, body: JSON.stringify(body) })
  }
}
