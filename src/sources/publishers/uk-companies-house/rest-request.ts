/**
 * One question to the Companies House service: one request, one time limit, no redirect followed, no repeat. What comes back is told
 * apart as the caller must act on it; nothing of the key or of a body is in it.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import { HOUR, MINUTE, SECOND } from "../../../core/time.ts"

export const LIVE_URL = "https://api.company-information.service.gov.uk"
export const ANSWER_BYTES_MAX = 256 * 1024
export const ANSWER_MS_MAX = 10 * SECOND

export interface RestService {
  /** Scheme, host and port, without a slash at its end. */
  readonly baseUrl: string
  readonly key: string
  /** For the whole answer, its body included. */
  readonly timeoutMs: number
}

export type RestFailure =
  | "KEY_REFUSED"
  | "RATE_LIMITED"
  | "SERVICE_ERROR"
  | "TIMED_OUT"
  | "CONNECTION_FAILED"
  | "REDIRECTED"
  | "ANSWER_TOO_LARGE"
  | "ANSWER_NOT_JSON"
  | "ANSWER_UNEXPECTED"

export type RestOutcome =
  | { readonly kind: "ANSWER"; readonly status: 200 | 404; readonly body: Uint8Array; readonly etag: string | null }
  /** `waitMs`: how long the service asks to be left alone, or null when it does not say. */
  | { readonly kind: "FAILED"; readonly failure: RestFailure; readonly waitMs: number | null }

export function companyUrl(baseUrl: string, companyNumber: string): string {
  return `${baseUrl}/company/${companyNumber}`
}

/** `at` in milliseconds, to read a date the service names. Never throws for what the service or the network does. */
export async function askCompany(service: RestService, companyNumber: string, at: number): Promise<RestOutcome> {
  const failed = (failure: RestFailure, waitMs: number | null = null): RestOutcome => ({
    kind: "FAILED",
    failure,
    waitMs,
  })
  const signal = AbortSignal.timeout(service.timeoutMs)
  try {
    const response = await answerOf(service, companyNumber, signal)
    const { statusCode: status = 0, headers } = response
    if (status !== 200 && status !== 404) {
      response.destroy()
      if (status === 401 || status === 403) return failed("KEY_REFUSED")
      if (status === 429) return failed("RATE_LIMITED", waitOf(headers, at))
      // Followed, a redirect would carry the key to whatever host it names.
      if (status >= 300 && status < 400) return failed("REDIRECTED")
      return status >= 500 ? failed("SERVICE_ERROR", waitOf(headers, at)) : failed("ANSWER_UNEXPECTED")
    }
    const body = await wholeBody(response)
    if (body === "TOO_LARGE") return failed("ANSWER_TOO_LARGE")
    if (body === "UNREADABLE") return failed("ANSWER_UNEXPECTED")
    // Before the body counts as the service's word: a proxy's page of apology comes with 200 or 404 as well.
    if (!isJson(headers, body)) return failed("ANSWER_NOT_JSON")
    return { kind: "ANSWER", status, body, etag: headerEtag(headers) }
  } catch (error) {
    if (!isOfNetwork(error)) throw error
    return failed(signal.aborted ? "TIMED_OUT" : "CONNECTION_FAILED")
  }
}

/** What goes wrong on the way has a code; a mistake of our own has none, or is a TypeError, as for an argument the runtime refuses. */
function isOfNetwork(error: unknown): boolean {
  return codeOf(error) !== null && !(error instanceof TypeError)
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null
}

/**
 * Not `fetch`: it sends what it is given, the key in it, to whatever proxy the environment names, and in clear where the address is
 * one of loopback.
 */
async function answerOf(
  { baseUrl, key }: RestService,
  companyNumber: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const url = new URL(companyUrl(baseUrl, companyNumber))
  const options = {
    method: "GET",
    headers: {
      accept: "application/json",
      // Without coding, so that the limit on bytes is the limit on memory.
      "accept-encoding": "identity",
      authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}`,
      "user-agent": "bizauth",
    },
    agent: false as const,
    // Said, because an environment variable left over from somebody's test would switch the verification off.
    rejectUnauthorized: true,
    signal,
  }
  // Loaded with the first question: they take 3 ms of a start, and most services ask none.
  const { request: send } = url.protocol === "https:" ? await import("node:https") : await import("node:http")
  return new Promise((resolve, reject) => {
    const request = send(url, options)
    request.once("response", resolve)
    request.on("error", reject)
    request.end()
  })
}

async function wholeBody(response: IncomingMessage): Promise<Uint8Array | "TOO_LARGE" | "UNREADABLE"> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    // Leaving the loop ends the connection.
    if (bytes > ANSWER_BYTES_MAX) return "TOO_LARGE"
    chunks.push(chunk)
  }
  // A connection that ends early ends the loop too.
  if (!response.complete) return "UNREADABLE"
  const sent = new Uint8Array(Buffer.concat(chunks))
  const coding = response.headers["content-encoding"]?.trim().toLowerCase() ?? "identity"
  if (coding === "identity") return sent
  if (coding !== "gzip") return "UNREADABLE"
  const { gunzipSync } = await import("node:zlib")
  try {
    return new Uint8Array(gunzipSync(sent, { maxOutputLength: ANSWER_BYTES_MAX }))
  } catch (error) {
    const code = codeOf(error)
    if (code === "ERR_BUFFER_TOO_LARGE") return "TOO_LARGE"
    // zlib's own words for bytes that are damaged or cut.
    if (code?.startsWith("Z_")) return "UNREADABLE"
    throw error
  }
}

/** A 404 of the service may have no body at all; anything else it says is JSON. */
function isJson(headers: IncomingHttpHeaders, body: Uint8Array): boolean {
  if (body.length === 0) return true
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? ""
  const opening = body.find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d)
  return (type === "application/json" || type.endsWith("+json")) && (opening === 0x7b || opening === 0x5b)
}

function headerEtag({ etag }: IncomingHttpHeaders): string | null {
  return etag !== undefined && /^(W\/)?"[\x21\x23-\x7e]{1,128}"$/.test(etag)
    ? etag.replace(/^W\//, "").slice(1, -1)
    : null
}

/** `Retry-After` in seconds or as a date, else `X-Ratelimit-Reset` in Unix seconds, as this service sends it. */
function waitOf(headers: IncomingHttpHeaders, at: number): number | null {
  const after = headers["retry-after"]?.trim() ?? ""
  const until = /^\d{1,9}$/.test(after) ? at + Number(after) * SECOND : Date.parse(after)
  if (!Number.isNaN(until)) return bounded(until - at)
  const reset = String(headers["x-ratelimit-reset"] ?? "").trim()
  return /^\d{9,11}$/.test(reset) ? bounded(Number(reset) * SECOND - at) : null
}

/** A service whose clock is behind ours names a time that is past: it asked for a pause all the same. */
function bounded(waitMs: number): number {
  return Math.min(Math.max(waitMs, MINUTE), HOUR)
}
