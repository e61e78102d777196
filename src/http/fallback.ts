/**
 * Replies to requests that match no route: 404, 405 with `Allow`, OPTIONS and CORS preflight, all derived from the route table. Elysia
 * would reply in plain text and has no 405.
 */

import type { Operation } from "../../schemas/operation.ts"
import { type RefusalContext, ServiceError } from "../base/errors.ts"
import { bugFields } from "../base/log.ts"
import { pathTemplate } from "../core/discovery/path-template.ts"
import { clientOf } from "./client-address.ts"
import { preflightHeaders } from "./cors.ts"
import { NearestRoute } from "./nearest-route.ts"
import { templatesOf } from "./path-templates.ts"
import { type ProblemContext, problemResponse, refusalOf } from "./problem.ts"
import { NO_OPERATION } from "./process-counts.ts"
import { RequestIds, traceIdOf } from "./request-ids.ts"
import type { Shell } from "./shell.ts"

/** One registered route. The router puts the cross-origin rule into `tags`, and the operation's sentence about other methods into `description`. */
interface RouteRow {
  readonly method: string
  readonly path: string
  readonly hooks?: { readonly detail?: { readonly tags?: readonly string[]; readonly description?: string } }
}

interface Failure {
  readonly code: unknown
  readonly error: unknown
  readonly request: Request
}

/** Writes the response to a refusal of a request that reached no route. Null means a bug. */
type RefusalWriter = (refused: ServiceError | null, context: ProblemContext & { readonly headers: Headers }) => Response

export interface FallbackOptions {
  /** Returns a `Link` header for 404 answers, or "". */
  readonly link?: () => string
  /** Default: application/problem+json. */
  readonly refusal?: RefusalWriter
}

/** `table` and `link` are called on first use, when every route is registered. */
export function fallback(
  shell: Shell,
  table: () => readonly RouteRow[],
  { link = () => "", refusal = problemResponse }: FallbackOptions = {},
): (failure: Failure) => Response {
  const requestIds = new RequestIds(shell.machine)
  const counts = shell.counts?.operation(NO_OPERATION)
  let known: Known | undefined
  return ({ code, error, request }) => {
    const startedAt = shell.machine.monotonic()
    const path = new URL(request.url).pathname
    const traceId = traceIdOf(shell.machine, request.headers.get("traceparent"))
    const ids = { baseUrl: shell.baseUrl(), requestId: requestIds.next(), traceId, headers: request.headers, refusal }
    known ??= knownRoutes(table(), link())
    const response = code === "NOT_FOUND" ? unrouted(request.method, path, known, ids) : broken(shell, error, path, ids)
    response.headers.set("x-request-id", ids.requestId)
    response.headers.set("x-content-type-options", "nosniff")
    const milliseconds = Math.round((shell.machine.monotonic() - startedAt) * 10) / 10
    counts?.request(response.status, milliseconds)
    // The path is not logged, because the caller wrote it.
    shell.log.request({ requestId: ids.requestId, operation: NO_OPERATION, status: response.status })
    shell.access?.request({
      client: clientOf(request, shell.socket?.peerOf(request), shell),
      method: request.method,
      path: templateOf(path, known),
      status: response.status,
      milliseconds,
      requestId: ids.requestId,
    })
    return response
  }
}

/** The first template that the path has, or null. */
function templateOf(path: string, { templates }: Known): string | null {
  const [template] = templatesOf(path, templates)
  return template === undefined ? null : pathTemplate(template)
}

interface Ids {
  readonly baseUrl: string
  readonly requestId: string
  readonly traceId: string
  readonly headers: Headers
  readonly refusal: RefusalWriter
}

/** What replies to unknown paths are made of. */
interface Known {
  readonly table: readonly RouteRow[]
  readonly templates: readonly string[]
  readonly nearest: NearestRoute
  readonly headers: RefusalContext["headers"]
}

function knownRoutes(table: readonly RouteRow[], link: string): Known {
  const templates = [...new Set(table.map(({ path }) => path))]
  return { table, templates, nearest: new NearestRoute(table), headers: link === "" ? {} : { link } }
}

function unrouted(method: string, path: string, known: Known, ids: Ids): Response {
  const templates = templatesOf(path, known.templates)
  const here = known.table.filter((route) => templates.includes(route.path))
  if (here.length === 0) return ids.refusal(noRoute(method, path, known), { path, ...ids })
  const methods = allowed(here)
  const allow = methods.join(", ")
  if (method === "OPTIONS") {
    const shared = here.every((route) => corsOf(route) === "PUBLIC")
    return new Response(null, {
      status: 204,
      headers: { allow, ...preflightHeaders(shared ? "PUBLIC" : "NONE", methods) },
    })
  }
  const more = here.map(({ hooks }) => hooks?.detail?.description).find((sentence) => sentence !== undefined)
  const detail = `This path takes ${allow}.${more === undefined ? "" : ` ${more}`}`
  const refused = new ServiceError("METHOD_NOT_ALLOWED", detail, { headers: { allow } })
  return ids.refusal(refused, { path, ...ids })
}

/** The nearest route is named by its template, so nothing more of the path is repeated. */
function noRoute(method: string, path: string, { nearest, headers = {} }: Known): ServiceError {
  const near = nearest.find(method === "HEAD" ? "GET" : method, path)
  if (near === null) return new ServiceError("NOT_FOUND", "No route has this path.", { headers })
  const named = `${near.method} ${pathTemplate(near.path)}`
  return new ServiceError("NOT_FOUND", `No route has this path. The nearest is ${named}.`, {
    headers,
    errors: [{ pointer: "path", code: "NEAREST_ROUTE", expected: named }],
  })
}

function broken(shell: Shell, error: unknown, path: string, ids: Ids): Response {
  const refused = refusalOf(error)
  if (!refused) shell.log.error("bug", { request_id: ids.requestId, ...bugFields(error) })
  return ids.refusal(refused, { path, ...ids })
}

function corsOf(route: RouteRow): Operation["cors"] {
  return route.hooks?.detail?.tags?.includes("cors:PUBLIC") ? "PUBLIC" : "NONE"
}

function allowed(here: readonly RouteRow[]): string[] {
  const methods = new Set(here.map((route) => route.method))
  if (methods.has("GET")) methods.add("HEAD")
  methods.add("OPTIONS")
  return [...methods]
}
