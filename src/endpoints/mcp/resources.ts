/** The resources: every public document of the service that has no parameter. Its bytes are those that HTTP serves. */
import type { Operation } from "../../../schemas/operation.ts"
import type { Call, Reply } from "../../http/call.ts"
import type { Served, ServedOperations } from "../../http/served.ts"
import { INVALID_PARAMS, McpError } from "./mcp-error.ts"
import { membersOf, type Result } from "./result.ts"

const ANSWERED = 200
const NO_HEADERS = new Headers()
const NO_PARAMS = Object.freeze({})
const utf8 = new TextDecoder()

/** CHOICE: a resource is a document that any origin may read, that has an ETag and no parameter, and that is text. */
function isResource({ method, path, cors, responses }: Operation): boolean {
  const isDocument = method === "GET" && cors === "PUBLIC" && 304 in responses && !/[{*]/.test(path)
  return isDocument && /json|xml|^text\//.test(mediaTypeOf(responses[200]?.mediaType))
}

export function resourceLine(operation: Operation, baseUrl: string): object {
  return {
    uri: baseUrl + operation.path,
    name: operation.id,
    description: operation.summary,
    mimeType: mediaTypeOf(operation.responses[200]?.mediaType),
  }
}

/** Maps the URI of each resource to its operation. */
export function resourcesByUri(served: ServedOperations, baseUrl: string): Map<string, Served> {
  const found = served.rows().filter(isResource)
  return new Map(found.flatMap(({ id, path }) => [[baseUrl + path, served.find(id) as Served] as const]))
}

/** Throws {@link McpError} for an unknown URI, which its data repeats (SEP-2164), and the errors of the operation. */
export async function readResource(
  resources: ReadonlyMap<string, Served>,
  params: Readonly<Record<string, unknown>>,
  { client, requestId, traceId, at }: Call<unknown>,
): Promise<Result> {
  const { uri } = params
  const found = typeof uri === "string" ? resources.get(uri) : undefined
  if (!found) {
    throw new McpError(INVALID_PARAMS, "Resource not found", ANSWERED, typeof uri === "string" ? { uri } : undefined)
  }
  const call = { body: null, params: NO_PARAMS, headers: NO_HEADERS, bodyDigest: null, client, requestId, traceId, at }
  const { body, headers = {} } = await found.invoke(call)
  const mimeType = headers["content-type"] ?? mediaTypeOf(found.operation.responses[200]?.mediaType)
  const contents = `[{${membersOf({ uri, mimeType })},"text":${quotedText(body)}}]`
  return { members: `"contents":${contents},"ttlMs":${ttlOf(headers["cache-control"])},"cacheScope":"public"` }
}

/** Each document as a JSON string, by its bytes. The bytes are the same object until the document is printed anew. */
const quoted = new WeakMap<Uint8Array, string>()

function quotedText(body: Reply["body"]): string {
  const known = body instanceof Uint8Array ? quoted.get(body) : undefined
  if (known !== undefined) return known
  const text = JSON.stringify(textOf(body))
  if (body instanceof Uint8Array) quoted.set(body, text)
  return text
}

function mediaTypeOf(named: string | undefined): string {
  return named ?? "application/json"
}

function textOf(body: Reply["body"]): string {
  if (typeof body === "string") return body
  if (body instanceof Uint8Array) return utf8.decode(body)
  throw new TypeError("a document is text or bytes")
}

/** How long the document may be kept: the `max-age` that HTTP names. */
function ttlOf(cacheControl = ""): number {
  return Number(/max-age=(\d+)/.exec(cacheControl)?.[1] ?? "0") * 1000
}
