/** One generated request, and what its generator knows about the answer. */
import type { OpenapiOperation } from "../../test/fixtures/openapi.ts"

/** A row of the document with its request schemas, without references. */
export interface FuzzOperation {
  readonly method: string
  readonly template: string
  readonly operation: OpenapiOperation
  /** JSON Schema of the body, or null. */
  readonly body: Schema | null
  /** The same schema as the document prints it. */
  readonly printedBody: object | null
  readonly pathParameters: readonly FuzzParameter[]
  readonly headerParameters: readonly FuzzParameter[]
}
export interface FuzzParameter {
  readonly name: string
  readonly schema: Schema
}
export type Schema = { readonly [keyword: string]: unknown }

export interface Expectation {
  /** Any of these; null: any that the document names. */
  readonly statuses: readonly number[] | null
  /** Code of the problem; null: any. */
  readonly code: string | null
  /** What the schema of the document says about the body; null if the body is not read or there is none. */
  readonly isValid: boolean | null
}

export const ANY: Expectation = { statuses: null, code: null, isValid: null }

export interface FuzzRequest {
  /** What was generated, for the report. */
  readonly kind: string
  readonly method: string
  /** As sent, in Latin-1. */
  readonly path: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer | null
  readonly isChunked: boolean
  /** Row of the document that answers; null if the path was changed: then the answer tells which. */
  readonly row: FuzzOperation | null
  readonly expects: Expectation
  /** Texts that no log line may contain. */
  readonly texts: readonly string[]
}

/** The bytes on the wire. */
export function wireBytes({ method, path, headers, body, isChunked }: FuzzRequest, host: string): Buffer {
  const fields = [...headers]
  if (!fields.some(([name]) => name.toLowerCase() === "host")) fields.unshift(["Host", host])
  if (body !== null) fields.push(isChunked ? ["Transfer-Encoding", "chunked"] : ["Content-Length", String(body.length)])
  const head = `${method} ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`
  const parts: Buffer[] = [Buffer.from(head, "latin1")]
  if (body !== null) parts.push(...(isChunked ? chunks(body) : [body]))
  return Buffer.concat(parts)
}

function chunks(body: Buffer): Buffer[] {
  const size = Math.max(1, Math.ceil(body.length / 3))
  const parts: Buffer[] = []
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size)
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n"))
  }
  return [...parts, Buffer.from("0\r\n\r\n")]
}
