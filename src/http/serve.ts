/**
 * Turns an operation into a route: exact bytes in, strict JSON, closed schema, no secrets, no bank data, handler, exact bytes out. Elysia only routes.
 * It must not parse, coerce, strip or serialise (its own normalize drops unknown members and replies 200).
 */

import type { BodyOf, Operation } from "../../schemas/operation.ts"
import { ServiceError } from "../base/errors.ts"
import { bugFields } from "../base/log.ts"
import type { JsonValue } from "../core/strict-json.ts"
import { Arrival, NO_PARAMS } from "./arrival.ts"
import { type BodyGuard, bodyGuard } from "./body-guard.ts"
import type { Call, Handler, Reply } from "./call.ts"
import { ALWAYS_SPACE } from "./free-writes.ts"
import { problemResponse, refusalOf } from "./problem.ts"
import { PRESENTED_PAYMENTS, tellQuota, unlimited } from "./rate-limit.ts"
import { BODY_BYTES_MAX, bodyBytes, bodyWeight, strictJson } from "./read-body.ts"
import { RequestIds } from "./request-ids.ts"
import { ResponseWriter } from "./response-writer.ts"
import type { Route } from "./route.ts"
import type { Invocation } from "./served.ts"
import type { Shell } from "./shell.ts"

type RawParams = Readonly<Record<string, string | null>> | undefined

interface ServeOptions {
  /** Rejects a request by its headers, before the body is read. */
  readonly guard?: (headers: Headers) => void
  /**
   * Writes the response to a refusal, for a route whose protocol has its own form of errors. Null means a bug. Without it the response
   * is application/problem+json.
   */
  readonly refusal?: (refused: ServiceError | null, arrival: Arrival<unknown>) => Response
  /** Returns the body as it is checked and handled, for a route whose protocol writes one thing in several ways. */
  readonly normal?: (body: JsonValue) => JsonValue
}

/** Serves one operation. `handler` may throw ServiceError. Any other error is a bug and gets a 500. */
export function serve<O extends Operation>(
  shell: Shell,
  operation: O,
  handler: Handler<BodyOf<O>>,
  options: ServeOptions = {},
): Route {
  const { machine, limiter, access } = shell
  const guardBody = bodyGuard(operation)
  const ids = new RequestIds(machine)
  const received = bodyReader(shell, operation)
  const { finish, replyRefusal } = responder(shell, operation, options)
  type Arrived = Arrival<BodyOf<O>>

  /** Returns a promise only if the handler or a body needs one: a promise costs a tenth of a cached reply. */
  function reply(request: Request, path: string, rawParams: RawParams): Response | Promise<Response> {
    const arrival: Arrived = new Arrival(shell, request, path, ids.next(), operation)
    try {
      // Skips `unlimited`, because resolving the address has a cost.
      if (limiter !== unlimited) {
        const { group, perMinute } = arrival.budget
        arrival.quota = limiter.take(group, arrival.client, perMinute)
      } else if (access) arrival.meetClient()
      arrival.params = decoded(rawParams)
      options.guard?.(request.headers)
      if (guardBody) return replyToBody(arrival, request, guardBody)
      const given = handler(arrival)
      return given instanceof Promise ? settle(arrival, given) : finish(arrival, given)
    } catch (error) {
      return replyRefusal(arrival, error)
    }
  }

  async function replyToBody(arrival: Arrived, request: Request, requireFit: BodyGuard): Promise<Response> {
    try {
      arrival.receive(await received(arrival, request))
      await shell.socket?.polls.end()
      const read = strictJson(arrival.bytes)
      const body = options.normal === undefined ? read : options.normal(read)
      // Before the check, because the form of a refusal may need a part that was read.
      arrival.body = body as BodyOf<O>
      requireFit(body)
      const given = handler(arrival)
      return finish(arrival, given instanceof Promise ? await given : given)
    } catch (error) {
      return replyRefusal(arrival, error)
    }
  }

  async function settle(arrival: Arrived, given: Promise<Reply>): Promise<Response> {
    try {
      return finish(arrival, await given)
    } catch (error) {
      return replyRefusal(arrival, error)
    }
  }

  if (operation.audience !== "PEOPLE") {
    shell.served?.add({ operation, invoke: invoker(shell, operation, handler, { guard: options.guard, guardBody }) })
  }
  return { operation, reply: ({ request, path, params }) => reply(request, path, params as RawParams) }
}

/** Reads the bytes of a body, counted while they are on the way. */
function bodyReader(shell: Shell, { bodyBytesMax = BODY_BYTES_MAX }: Operation) {
  return async ({ client }: Arrival<unknown>, request: Request): Promise<Uint8Array> => {
    const bodies = shell.socket?.bodies
    if (!bodies) return bodyBytes(request, bodyBytesMax)
    const weight = bodyWeight(request.headers, bodyBytesMax)
    bodies.arrive(client, weight)
    try {
      return await bodyBytes(request, bodyBytesMax)
    } finally {
      bodies.leave(client, weight)
    }
  }
}

/** Writes, counts and logs the responses of one operation. */
function responder(shell: Shell, operation: Operation, { refusal = problemResponse }: ServeOptions) {
  const { machine, log, access } = shell
  const writer = new ResponseWriter(operation)
  const counts = shell.counts?.operation(operation.id)

  function finish(arrival: Arrival<unknown>, given: Reply): Response {
    return done(arrival, writer.write(given, arrival.requestId), given.note)
  }

  function replyRefusal(arrival: Arrival<unknown>, error: unknown): Response {
    const { requestId } = arrival
    const refused = refusalOf(error)
    if (!refused) log.error("bug", { request_id: requestId, operation: operation.id, ...bugFields(error) })
    const response = writer.dress(refusal(refused, arrival), requestId)
    return done(arrival, response, { code: refused?.code ?? "INTERNAL" })
  }

  function done(arrival: Arrival<unknown>, response: Response, note: Reply["note"]): Response {
    const { requestId, startedAt, quota, budget } = arrival
    if (quota !== null && operation.method === "POST") tellQuota(response, budget.group, budget.perMinute, quota)
    const milliseconds = Math.round((machine.monotonic() - startedAt) * 10) / 10
    counts?.request(response.status, milliseconds)
    log.request({ requestId, operation: operation.id, status: response.status, milliseconds, note })
    if (access) {
      const { client, method } = arrival
      access.request({ client, method, path: operation.path, status: response.status, milliseconds, requestId })
    }
    return response
  }

  return { finish, replyRefusal }
}

/** What refuses a call before its handler. */
interface Guards {
  readonly guard: ServeOptions["guard"]
  readonly guardBody: BodyGuard | null
}

/** Calls the operation without HTTP; see {@link import("./served.ts").Served.invoke}. */
function invoker<O extends Operation>(
  shell: Shell,
  operation: O,
  handler: Handler<BodyOf<O>>,
  { guard, guardBody }: Guards,
) {
  const counts = shell.counts?.operation(operation.id)

  async function invoked({ body, ...given }: Invocation): Promise<Reply> {
    const presents = operation.authentication === "X402" && given.headers.has("payment-signature")
    const { group, perMinute } = presents ? PRESENTED_PAYMENTS : operation.rateLimit
    shell.limiter.take(group, given.client, perMinute)
    guard?.(given.headers)
    guardBody?.(body)
    const writer = () => (shell.freeWrites ?? ALWAYS_SPACE).writer(given.client, given.at)
    const call: Call<BodyOf<O>> = { ...given, body: body as BodyOf<O>, path: operation.path, poll: null, writer }
    return handler(call)
  }

  return async (given: Invocation): Promise<Reply> => {
    try {
      return await invoked(given)
    } catch (error) {
      if (counts !== undefined && refusalOf(error)?.code === "RATE_LIMITED") counts.rateLimited++
      throw error
    }
  }
}

/** Elysia passes no object for a path without parameters, and null for a parameter whose percent-encoding cannot be decoded. */
function decoded(params: RawParams): Readonly<Record<string, string>> {
  for (const name in params) {
    if (params[name] === null) throw new ServiceError("NOT_FOUND", "The path cannot be decoded.")
  }
  return (params ?? NO_PARAMS) as Readonly<Record<string, string>>
}
