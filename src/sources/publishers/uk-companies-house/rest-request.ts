/**
 * Sends one request to the Companies House service: one time limit, no redirects, no retries. The result distinguishes the cases that the
 * caller handles differently. It contains no part of the key or of a body.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import { HOUR, MINUTE, SECOND } from "../../../core/time.ts"

export const ANSWER_BYTES_MAX = 256 * 1024
export const ANSWER_MS_MAX = 10 * SECOND

export interface RestService {
  /** Scheme, host and port, without a trailing slash. */
  readonly baseUrl: string
  readonly key: string
  /** Time limit for the whole response, with its body. */
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

type RestOutcome =
  | { readonly kind: "ANSWER"; readonly status: 200 | 404; readonly body: Uint8Array; readonly etag: string | null }
  /** `waitMs`: the wait that the service requests, or null. */
  | { readonly kind: "FAILED"; readonly failure: RestFailure; readonly waitMs: number | null }

export function companyUrl(baseUrl: string, companyNumber: string): string {
  return `${baseUrl}/company/${companyNumber}`
}

/** `at` is in milliseconds; it is needed for a date that the service names. Never throws for an error of the service or the network. */
export async function askCompany(service: RestService, companyNumber: string, at: number): Promise<RestOutcome> {
  const failed = (failure: RestFailure, waitMs: number | null = null): RestOutcome => ({
    kind: "FAILED",
    failure,
    waitMs,
  })
  const signal = AbortSignal.timeout(service.timeoutMs)
  try {
    const response = await responseOf(service, companyNumber, signal)
    const { statusCode: status = 0, headers } = response
    if (status !== 200 && status !== 404) {
      response.destroy()
      if (status === 401 || status === 403) return failed("KEY_REFUSED")
      if (status === 429) return failed("RATE_LIMITED", waitOf(headers, at))
      // Following a redirect would send the key to the host it names.
      if (status >= 300 && status < 400) return failed("REDIRECTED")
      return status >= 500 ? failed("SERVICE_ERROR", waitOf(headers, at)) : failed("ANSWER_UNEXPECTED")
    }
    const body = await wholeBody(response)
    if (body === "TOO_LARGE") return failed("ANSWER_TOO_LARGE")
    if (body === "UNREADABLE") return failed("ANSWER_UNEXPECTED")
    // Check this before the body counts as the service's answer: a proxy's error page may have status 200 or 404 too.
    if (!isJson(headers, body)) return failed("ANSWER_NOT_JSON")
    return { kind: "ANSWER", status, body, etag: headerEtag(headers) }
  } catch (error) {
    if (!isOfNetwork(error)) throw error
    return failed(signal.aborted ? "TIMED_OUT" : "CONNECTION_FAILED")
  }
}

/**
 * Returns true for a network error. It has a code. A bug in this program has no code, or is a TypeError, as for an argument that the
 * runtime rejects.
 */
function isOfNetwork(error: unknown): boolean {
  return codeOf(error) !== null && !(error instanceof TypeError)
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null
}

/** Does not use `fetch`: it would send the request with the key to any proxy in the environment, unencrypted if the address is loopback. */
async function responseOf(
  { baseUrl, key }: RestService,
  companyNumber: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const url = new URL(companyUrl(baseUrl, companyNumber))
  const options = {
    method: "GET",
    headers: {
      accept: "application/json",
      // No encoding, so that the byte limit is also the memory limit.
      "accept-encoding": "identity",
      authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}`,
      "user-agent": "bizauth",
    },
    agent: false as const,
    // Set explicitly, because a leftover environment variable could switch the verification off.
    rejectUnauthorized: true,
    signal,
  }
  // Loaded with the first request: the modules take 3 ms of a start, and most services send no request.
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
    // Leaving the loop closes the connection.
    if (bytes > ANSWER_BYTES_MAX) return "TOO_LARGE"
    chunks.push(chunk)
  }
  // A connection that closes early also ends the loop.
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
    // zlib's error codes for damaged or truncated data.
    if (code?.startsWith("Z_")) return "UNREADABLE"
    throw error
  }
}

/** A 404 of the service may have an empty body. Every other response is JSON. */
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

/** Reads `Retry-After` in seconds or as a date, otherwise `X-Ratelimit-Reset` in Unix seconds, as this service sends it. */
function waitOf(headers: IncomingHttpHeaders, at: number): number | null {
  const after = headers["retry-after"]?.trim() ?? ""
  const until = /^\d{1,9}$/.test(after) ? at + Number(after) * SECOND : Date.parse(after)
  if (!Number.isNaN(until)) return bounded(until - at)
  const reset = String(headers["x-ratelimit-reset"] ?? "").trim()
  return /^\d{9,11}$/.test(reset) ? bounded(Number(reset) * SECOND - at) : null
}

/** If the service's clock is slow, its time is in the past. It still requested a pause. */
function bounded(waitMs: number): number {
  return Math.min(Math.max(waitMs, MINUTE), HOUR)
}
