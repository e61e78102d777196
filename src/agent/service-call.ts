/** Makes one JSON call from the agent's machine to a service. Follows no redirect and limits the size of the answer. */

import { Value } from "@sinclair/typebox/value"
import type { Operation } from "../../schemas/operation.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { networkCode } from "../base/network-fault.ts"
import { VERIFIED_TLS } from "../base/verified-tls.ts"
import { concatBytes } from "../core/bytes.ts"
import type { SensitiveFault } from "../core/sensitive/find-in-text.ts"
import { searchOpen } from "../core/sensitive/open-value.ts"
import { type JsonValue, memberOf, readJson, StrictJsonError } from "../core/strict-json.ts"

export type Send = (request: Request) => Promise<Response>

export interface ServiceReply {
  readonly status: number
  readonly headers: Headers
  /** The exact bytes received. */
  readonly bytes: Uint8Array
  readonly body: JsonValue
  /** `code` of a problem document, if it has the form of a code. */
  readonly code: string | null
}

/** Differences from the default call. */
interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  readonly bytesMax?: number
}

const ANSWER_BYTES_MAX = 256 * 1024
const TIMEOUT_MS = 30_000
/** For answers that carry a delivery. A delivery with fifty explained hits has about a tenth of this size. */
export const DELIVERY_BYTES_MAX = 4 * 1024 * 1024

export const sendOverNetwork: Send = (request) => fetch(request, { tls: VERIFIED_TLS })

/** Returns `scheme://host[:port]` of the user's input. Throws CommandError (2) for anything but a plain http or https origin. */
export function serverOrigin(typed: string): string {
  const url = URL.canParse(typed) ? new URL(typed) : null
  const bare =
    url && /^https?:$/.test(url.protocol) && url.pathname === "/" && !url.search && !url.hash && !url.username
  if (!bare) throw new CommandError(EXIT.USAGE, "the server must be an http or https URL without path")
  return url.origin
}

/** Throws CommandError (4) if the service cannot be reached or does not answer JSON. */
export async function postJson(send: Send, url: string, body: unknown, options?: CallOptions): Promise<ServiceReply> {
  return postText(send, url, JSON.stringify(body), options)
}

/** Same for JSON text that must be sent unchanged. Throws CommandError (2) for a text with a secret, and sends nothing. */
export async function postText(
  send: Send,
  url: string,
  text: string,
  { headers = {}, timeoutMs = TIMEOUT_MS, bytesMax = ANSWER_BYTES_MAX }: CallOptions = {},
): Promise<ServiceReply> {
  requireNoSecret(text)
  const request = new Request(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: text,
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  })
  return call(send, request, bytesMax)
}

function requireNoSecret(text: string): void {
  const place = secretPlace(JSON.parse(text) as JsonValue)
  if (place === null) return
  throw new CommandError(EXIT.USAGE, `nothing was sent: ${place}`)
}

/** Says where a message has a secret, or null. */
export function secretPlace(message: JsonValue): string | null {
  const faults: SensitiveFault[] = []
  searchOpen(message, faults)
  const [fault] = faults
  if (!fault) return null
  const what = { ACCESS_TOKEN: "a token", SEED_PHRASE: "a seed phrase" }[fault.kind as string] ?? "a private key"
  return `${fault.pointer || "the message"} has ${what}; send a digest or a reference instead`
}

/** Asks for a JSON document. Throws CommandError (4) as {@link postJson}. */
export async function getJson(
  send: Send,
  url: string,
  { timeoutMs = TIMEOUT_MS, bytesMax = ANSWER_BYTES_MAX }: CallOptions = {},
): Promise<ServiceReply> {
  return call(send, new Request(url, { redirect: "error", signal: AbortSignal.timeout(timeoutMs) }), bytesMax)
}

/** Converts a refusal to a CommandError: 4 if the same call may succeed later, 3 if it will not. */
export function refused(step: string, { status, code }: Pick<ServiceReply, "status" | "code">): CommandError {
  const later = status === 429 || status >= 500
  return new CommandError(
    later ? EXIT.NOT_CHECKED : EXIT.INVALID,
    `the service refused the ${step}: ${code ?? `HTTP ${status}`}${later ? "; try again later" : ""}`,
  )
}

/** Returns the body. Throws CommandError (4) unless it is what the row promises for this status. `what` was asked. */
export function promisedBody<Body>(row: Operation, { status, body }: ServiceReply, what: string): Body {
  const schema = row.responses[status]?.schema
  if (!schema || Value.Check(schema, body)) return body as Body
  throw new CommandError(EXIT.NOT_CHECKED, `the service did not answer ${what} as it promises`)
}

async function call(send: Send, request: Request, bytesMax: number): Promise<ServiceReply> {
  const { host, pathname } = new URL(request.url)
  const answer = await answered(send, request, bytesMax)
  try {
    const body = readJson(answer.bytes)
    return { ...answer, body, code: problemCode(body) }
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    throw new CommandError(
      EXIT.NOT_CHECKED,
      `${host} answered ${answer.status} to ${pathname} with something that is not JSON`,
    )
  }
}

/** Returns the complete answer. Throws CommandError (4) if the service cannot be reached or sends more than `bytesMax`. */
export async function answered(
  send: Send,
  request: Request,
  bytesMax: number,
): Promise<Pick<ServiceReply, "status" | "headers" | "bytes">> {
  try {
    const response = await send(request)
    return { status: response.status, headers: response.headers, bytes: await limitedBytes(response, bytesMax) }
  } catch (error) {
    if (error instanceof CommandError) throw error
    const { host } = new URL(request.url)
    throw new CommandError(
      EXIT.NOT_CHECKED,
      `${host} cannot be reached: ${networkCode(error) ?? (error instanceof Error ? error.name : "failure")}`,
    )
  }
}

/** Throws CommandError (4) if the body exceeds `bytesMax`. */
async function limitedBytes(response: Response, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Not every browser has an iterator for a body.
  const reader = response.body?.getReader()
  for (;;) {
    const chunk = (await reader?.read())?.value
    if (chunk === undefined) return concatBytes(...chunks)
    size += chunk.byteLength
    if (size > bytesMax) {
      await reader?.cancel()
      throw new CommandError(EXIT.NOT_CHECKED, "the answer is too large")
    }
    chunks.push(chunk)
  }
}

function problemCode(body: JsonValue): string | null {
  const code = memberOf(body, "code")
  return typeof code === "string" && /^[A-Z_]{1,64}$/.test(code) ? code : null
}
