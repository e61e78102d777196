import type { Operation } from "../../schemas/operation.ts"
import { canonicalize } from "../core/canonical-json.ts"
import type { Reply } from "./call.ts"
import { corsHeaders } from "./cors.ts"

type Fields = Readonly<Record<string, string>>

const DEFAULTS: Fields = { "content-type": "application/json", "cache-control": "no-store" }
const NO_FIELDS: Fields = Object.freeze({})

/** Writes the replies of one operation: exact bytes, and the headers that all its replies have. */
export class ResponseWriter {
  private readonly always: Fields
  private readonly prepared = new WeakMap<Fields, Headers>()

  constructor(operation: Operation) {
    this.always = { "x-content-type-options": "nosniff", ...operation.headers, ...corsHeaders(operation.cors) }
  }

  write({ status, body, headers: given = NO_FIELDS }: Reply, requestId: string): Response {
    const headers = this.headersOf(given)
    headers.set("x-request-id", requestId)
    const response = new Response(bodyOf(body), { status, headers })
    if (body === null) response.headers.delete("content-type")
    return response
  }

  /** Sets the same headers on a response that was built elsewhere. */
  dress(response: Response, requestId: string): Response {
    for (const name in this.always) response.headers.set(name, this.always[name] ?? "")
    response.headers.set("x-request-id", requestId)
    return response
  }

  /**
   * A frozen record will be sent again, so its `Headers` are built once. `Response` copies its input, so a caller may change the headers of
   * one reply.
   */
  private headersOf(given: Fields): Headers {
    let headers = this.prepared.get(given)
    if (headers === undefined) {
      headers = new Headers({ ...DEFAULTS, ...given, ...this.always })
      if (Object.isFrozen(given)) this.prepared.set(given, headers)
    }
    return headers
  }
}

function bodyOf(body: Reply["body"]): Uint8Array<ArrayBuffer> | string | null {
  if (body === null || typeof body === "string") return body
  return body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : canonicalize(body)
}
