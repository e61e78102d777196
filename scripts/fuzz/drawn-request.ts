/** Requests of an operation: well formed ones, and ones with one fault in the body, its bytes, the headers, the path or the method. */

import { hash } from "node:crypto"
import { AGENT_A2A_PATH } from "../../schemas/discovery/a2a.ts"
import { agentMcp } from "../../schemas/discovery/mcp.ts"
import type { JsonValue } from "../../src/core/strict-json.ts"
import { withoutEmpty } from "../../src/endpoints/mcp/envelope.ts"
import { RECEIVED_BYTES_MAX } from "../../src/http/listen.ts"
import { changed, type Json, valid } from "../../test/fixtures/schema-values.ts"
import { type DrawnBody, drawnBody } from "./drawn-body.ts"
import { drawnHeader } from "./drawn-header.ts"
import { type Draw, drawnWord, one, textsOf } from "./draws.ts"
import { drawnFaultyText } from "./faulty-text.ts"
import { ANY, type Expectation, type FuzzOperation, type FuzzRequest } from "./fuzz-request.ts"
import { strangePath } from "./strange-path.ts"

export interface Drawing {
  /** Ids that the server made, by the name of their path parameter. */
  readonly known: ReadonlyMap<string, readonly string[]>
  readonly rows: readonly FuzzOperation[]
  /** Bodies that the service accepts at least by their schema, by operation id. */
  readonly examples: ReadonlyMap<string, () => Json>
  /** False if only the known paths and methods are sent. */
  readonly hasFallback: boolean
  /** What the schema of the document says about a body. */
  isValid(row: FuzzOperation, value: Json): boolean
}

/** `JSON.stringify` escapes nothing else as a surrogate. */
const HALF_A_PAIR = /\\ud[89a-f]/
/** Unless the operation states another limit. */
const BODY_BYTES_MAX = 64 * 1024

function bytesMaxOf(row: FuzzOperation | null): number {
  return row?.operation.requestBody?.["x-body-bytes-max"] ?? BODY_BYTES_MAX
}

type Field = readonly [name: string, value: string]
const JSON_FIELD: Field = ["Content-Type", "application/json"]

/** An operation with a body has more to try than one without. */
export function drawnRow(rows: readonly FuzzOperation[], draw: Draw): FuzzOperation {
  const row = one(rows, draw)
  return row.body !== null || draw() < 0.3 ? row : drawnRow(rows, draw)
}

export function drawnRequest(drawing: Drawing, row: FuzzOperation, draw: Draw): FuzzRequest {
  const chance = draw()
  const whole = wellFormed(drawing, row, draw)
  if (!drawing.hasFallback && (whole.row === null || chance < 0.16)) {
    return whole.row === null ? drawnRequest(drawing, row, draw) : whole
  }
  if (whole.row === null) return whole
  if (chance < 0.06) return otherMethod(whole, draw)
  if (chance < 0.16) return { ...strangePath(whole, draw), row: null, expects: ANY }
  if (chance < 0.24) return withHeader(whole, drawnHeader(draw, drawing.hasFallback))
  if (row.body === null || whole.body === null) return whole
  if (chance < 0.3) return otherMedia(whole, draw)
  if (chance < 0.34) return tooLong(whole, draw)
  if (chance < 0.48) return otherBytes(whole, draw)
  if (chance < 0.52) return { ...whole, kind: `${whole.kind}, chunked`, isChunked: true }
  return whole
}

function wellFormed({ rows, examples, known, isValid }: Drawing, row: FuzzOperation, draw: Draw): FuzzRequest {
  const { path, texts } = drawnPath(row, known, draw)
  // An empty segment and one of dots lead to another route.
  const isRow = path
    .split("/")
    .every((segment, at) => at === 0 || row.template === "/" || !/^(\.|%2e){0,2}$/i.test(segment))
  const base = { method: row.method, path, row: isRow ? row : null, isChunked: false }
  if (row.body === null) return { ...base, kind: "well formed", headers: [], body: null, expects: ANY, texts }
  const drawn = drawnBody(row, rows, examples, draw)
  const text = JSON.stringify(drawn.value)
  const body = Buffer.from(text)
  const isReadable = !HALF_A_PAIR.test(text)
  const headers = [JSON_FIELD, ...drawn.headers, ...parameterFields(row, drawn, body, draw)]
  return {
    ...base,
    kind: "a body",
    headers,
    body,
    expects: !isRow
      ? ANY
      : body.length > bytesMaxOf(row)
        ? { statuses: [413], code: "BODY_TOO_LARGE", isValid: null }
        : isReadable
          ? { statuses: null, code: null, isValid: isValid(row, asRead(row, drawn.value)) }
          : { statuses: [400], code: "MALFORMED_JSON", isValid: null },
    texts: [...texts, ...textsOf(drawn.value), ...headers.map(([, value]) => value)],
  }
}

/** The endpoints of JSON-RPC leave empty members of the envelope out before they check it. */
function asRead({ template }: FuzzOperation, value: Json): Json {
  return template === agentMcp.path || template === AGENT_A2A_PATH ? (withoutEmpty(value as JsonValue) as Json) : value
}

function drawnPath(
  row: FuzzOperation,
  known: Drawing["known"],
  draw: Draw,
): { readonly path: string; readonly texts: readonly string[] } {
  const texts: string[] = []
  const path = row.template.replace(/\{([A-Za-z]+)\}/g, (_, name: string) => {
    const ids = known.get(name)
    if (ids !== undefined && draw() < 0.5) return encodeURIComponent(one(ids, draw))
    const schema = row.pathParameters.find((parameter) => parameter.name === name)?.schema ?? {}
    const drawn = draw() < 0.8 ? valid(schema, draw) : changed(schema, draw)
    const text = (typeof drawn === "string" ? drawn : JSON.stringify(drawn)).toWellFormed()
    texts.push(text)
    const encoded = encodeURIComponent(text)
    // A segment of dots is a step in the tree, not a text; an empty one is none.
    return name === "rest" ? encoded.replaceAll("%2F", "/") : encoded
  })
  return { path, texts }
}

/** Header parameters of the document: right in most requests, absent or wrong in the others. */
function parameterFields(row: FuzzOperation, { value }: DrawnBody, body: Buffer, draw: Draw): Field[] {
  return row.headerParameters.flatMap(({ name, schema }): Field[] => {
    if (name === "Payment-Signature") {
      if (draw() < 0.7) return []
      const content = schema["contentSchema"] as Record<string, unknown>
      const payment = draw() < 0.5 ? valid(content, draw) : changed(content, draw)
      const text = Buffer.from(JSON.stringify(payment)).toString("base64")
      return text.length > 8_000
        ? []
        : [[name, draw() < 0.9 ? text : one(["x", "e30=", "", "%%%", text.slice(1)], draw)]]
    }
    if (draw() < 0.1) return draw() < 0.5 ? [] : [[name, drawnWord(12, draw)]]
    if (name === "X-CDO-Request-Body-Digest") return [[name, `sha256:${hash("sha256", body)}`]]
    const key =
      typeof value === "object" && value !== null && "idempotency_key" in value ? value["idempotency_key"] : null
    return typeof key === "string" ? [[name, Buffer.from(key.replace(/[^ -\u{10ffff}]/gu, "")).toString("latin1")]] : []
  })
}

function withHeader(request: FuzzRequest, { kind, fields, expects }: ReturnType<typeof drawnHeader>): FuzzRequest {
  const texts = [...request.texts, ...fields.map(([, value]) => value)]
  const names = fields.map(([name]) => name.toLowerCase())
  const headers = [...request.headers.filter(([name]) => !names.includes(name.toLowerCase())), ...fields]
  return {
    ...request,
    kind: `${request.kind}, ${kind}`,
    headers,
    texts,
    expects: expects ?? { ...request.expects, statuses: null },
  }
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]

function otherMethod(request: FuzzRequest, draw: Draw): FuzzRequest {
  const method = one(METHODS, draw)
  const isBare = method === "GET" || method === "HEAD"
  return { ...request, kind: `method ${method}`, method, row: null, expects: ANY, ...(isBare && { body: null }) }
}

const OTHER_TYPES = [
  "text/plain",
  "application/jsonx",
  "application/xml",
  "multipart/form-data; boundary=x",
  "x",
  "",
  "application/json+x",
  "text/json",
]
const SAME_TYPES = ["APPLICATION/JSON", "application/json; charset=utf-8", "application/json ;x=y", "application/json;"]

function otherMedia(request: FuzzRequest, draw: Draw): FuzzRequest {
  const headers = request.headers.filter((field) => field !== JSON_FIELD)
  const refused: Expectation = { statuses: [415], code: "MEDIA_TYPE_UNSUPPORTED", isValid: null }
  const chance = draw()
  if (chance < 0.2) {
    return {
      ...request,
      kind: "another spelling of the media type",
      headers: [...headers, ["Content-Type", one(SAME_TYPES, draw)]],
    }
  }
  if (chance < 0.4) {
    const coding = one(["gzip", "br", "deflate", "x", "identity, gzip"], draw)
    return {
      ...request,
      kind: `coding ${coding}`,
      headers: [...request.headers, ["Content-Encoding", coding]],
      expects: refused,
    }
  }
  const type = one(OTHER_TYPES, draw)
  const fields: readonly Field[] = draw() < 0.2 ? headers : [...headers, ["Content-Type", type]]
  return { ...request, kind: `media type ${type}`, headers: fields, expects: refused }
}

function tooLong(request: FuzzRequest, draw: Draw): FuzzRequest {
  const most = bytesMaxOf(request.row)
  // Bun cuts off a longer body itself, with a 413 without a body.
  const longest = Math.min(most + BODY_BYTES_MAX * 7, RECEIVED_BYTES_MAX)
  const body = Buffer.alloc(one([most + 1, Math.min(most + BODY_BYTES_MAX, longest), longest], draw), " ")
  request.body?.copy(body)
  const expects: Expectation = { statuses: [413], code: "BODY_TOO_LARGE", isValid: null }
  return { ...request, kind: "a long body", body, isChunked: draw() < 0.3, expects }
}

function otherBytes(request: FuzzRequest, draw: Draw): FuzzRequest {
  const { name, body } = drawnFaultyText(request.body?.toString() ?? "", draw)
  const expects: Expectation =
    body.length > bytesMaxOf(request.row)
      ? { statuses: [413], code: "BODY_TOO_LARGE", isValid: null }
      : { statuses: [400], code: "MALFORMED_JSON", isValid: null }
  return { ...request, kind: `bytes: ${name}`, body, expects }
}
