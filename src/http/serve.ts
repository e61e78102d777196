/**
 * How an operation becomes an Elysia route: exact bytes in, strict JSON, closed schema, handler, exact bytes out. Elysia routes;
 * it neither parses, coerces, strips nor serialises (its own normalize drops unknown members and answers 200).
 */
import type { TSchema } from "@sinclair/typebox"
import type { TypeCheck } from "@sinclair/typebox/compiler"
import { Elysia } from "elysia"
import type { BodyOf, Operation } from "../../schemas/operation.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { digestBytes } from "../core/digest.ts"
import { ServiceError } from "../errors.ts"
import { bugFields, type Log } from "../log.ts"
import type { Machine } from "../machine.ts"
import type { Answer, Call, Handler } from "./call.ts"
import { clientAddress } from "./client-address.ts"
import { corsHeaders } from "./cors.ts"
import { problemResponse, refusalOf } from "./problem.ts"
import type { RateLimits } from "./rate-limit.ts"
import { bodyBytes, compile, requireSchema, strictJson } from "./read-body.ts"
import { requestIds } from "./request-ids.ts"

export interface Shell {
  readonly machine: Machine
  readonly log: Log
  readonly limiter: RateLimits
  readonly trustedProxies: ReadonlySet<string>
}

type RawParams = Readonly<Record<string, string | null>> | undefined

const NO_BYTES = new Uint8Array(0)

export interface ServeOptions {
  /** Refuses by headers alone, before the body is read. */
  readonly guard?: (headers: Headers) => void
}

/** Registers one operation. `handler` may throw ServiceError; anything else it throws is a bug and answers 500. */
export function serve<O extends Operation>(
  shell: Shell,
  operation: O,
  handler: Handler<BodyOf<O>>,
  options: ServeOptions = {},
) {
  const check = operation.body ? compiledAtFirstUse(operation.body as TSchema) : null
  const path = operation.path.replace(/\{([A-Za-z]+)\}/g, ":$1")

  async function answer(
    request: Request,
    instance: string,
    rawParams: RawParams,
    peer: string | undefined,
  ): Promise<Response> {
    const at = shell.machine.now()
    const ids = requestIds(shell.machine, request.headers.get("traceparent"))
    let response: Response
    let note: Answer["note"]
    try {
      const client = clientAddress(peer, request.headers.get("x-forwarded-for"), shell.trustedProxies)
      shell.limiter.take(operation.rateLimit.group, client, operation.rateLimit.perMinute, at)
      const params = decodedParams(rawParams)
      options.guard?.(request.headers)
      const bytes = check ? await bodyBytes(request) : NO_BYTES
      const body = check ? strictJson(bytes) : null
      if (check) requireSchema(check(), body, operation.schemaFaultStatus)
      const call: Call<BodyOf<O>> = {
        body: body as BodyOf<O>,
        get bodyDigest() {
          return digestBytes(bytes)
        },
        params,
        headers: request.headers,
        path: instance,
        ...ids,
        client,
        at,
      }
      const given = await handler(call)
      note = given.note
      response = write(given)
    } catch (error) {
      const refused = refusalOf(error)
      if (!refused) shell.log.error("bug", { request_id: ids.requestId, operation: operation.id, ...bugFields(error) })
      note = { code: refused?.code ?? "INTERNAL" }
      response = problemResponse(refused, { path: instance, ...ids })
    }
    dress(response, operation, ids.requestId)
    const milliseconds = Math.round((shell.machine.now() - at) * 10) / 10
    shell.log.info("request", {
      request_id: ids.requestId,
      operation: operation.id,
      status: response.status,
      ms: milliseconds,
      ...note,
    })
    return response
  }

  return new Elysia({ normalize: false }).route(
    operation.method,
    path,
    ({ request, path: instance, params, server }) =>
      answer(request, instance, params as RawParams, server?.requestIP(request)?.address),
    { parse: "none", detail: { operationId: operation.id, tags: [`cors:${operation.cors}`] } },
  )
}

/** A large schema compiles in milliseconds; all of them together were a fifth of the program's start. */
function compiledAtFirstUse(schema: TSchema): () => TypeCheck<TSchema> {
  let compiled: TypeCheck<TSchema> | undefined
  return () => {
    compiled ??= compile(schema)
    return compiled
  }
}

/** Elysia gives no object for a path without parameters, and null for one whose percent-encoding cannot be decoded. */
function decodedParams(params: RawParams): Record<string, string> {
  const decoded: Record<string, string> = {}
  for (const [name, value] of Object.entries(params ?? {})) {
    if (value === null) throw new ServiceError("NOT_FOUND", "The path cannot be decoded.")
    decoded[name] = value
  }
  return decoded
}

function write({ status, body, headers }: Answer): Response {
  const out = new Headers({ "content-type": "application/json", "cache-control": "no-store", ...headers })
  if (body === null) {
    out.delete("content-type")
    return new Response(null, { status, headers: out })
  }
  const bytes =
    body instanceof Uint8Array
      ? (body as Uint8Array<ArrayBuffer>)
      : typeof body === "string"
        ? body
        : canonicalize(body)
  return new Response(bytes, { status, headers: out })
}

function dress(response: Response, operation: Operation, requestId: string): void {
  response.headers.set("x-request-id", requestId)
  response.headers.set("x-content-type-options", "nosniff")
  for (const [name, value] of Object.entries(operation.headers ?? {})) response.headers.set(name, value)
  for (const [name, value] of Object.entries(corsHeaders(operation.cors))) response.headers.set(name, value)
}
