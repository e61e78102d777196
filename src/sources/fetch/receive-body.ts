/**
 * Reads the body of a response and counts the bytes as they arrive: the stated length, the allowed length (also unpacked), and a minimum
 * pace. A fault destroys the connection; the caller discards what it received.
 */

import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { codeOf, type OpenResponse } from "./open-response.ts"
import { TransferFault } from "./transfer-fault.ts"
import type { TransferLimits } from "./transfer-limits.ts"

interface BodyRules {
  /** Host and path, for messages. */
  readonly shown: string
  /** Limit for the unpacked body. The bytes on the wire may not exceed it either. */
  readonly bytesMax: number
  readonly limits: TransferLimits
  readonly signal: AbortSignal
}

/** `take` gets the unpacked bytes in order and may throw to end the transfer. Returns the number of bytes. */
export async function receiveBody(
  { response, request }: OpenResponse,
  rules: BodyRules,
  take: (chunk: Uint8Array, stated: number | null) => void,
): Promise<number> {
  const { shown, bytesMax, signal } = rules
  const stated = statedLength(response.headers["content-length"])
  const isPacked = packing(response.headers["content-encoding"], shown, () => request.destroy())
  let fault: TransferFault | null = null
  /** Error thrown by `take`. A full disk is not the publisher's fault. */
  let refusal: { readonly error: unknown } | null = null
  const end: EndTransfer = (code, why) => {
    fault ??= new TransferFault(code, `${shown}: ${why}`)
    request.destroy()
    return fault
  }
  let total = 0
  const wire = meterOf(rules, end)
  async function* counted(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      if (wire.count(chunk) > bytesMax) throw end("TOO_LARGE", `more than the ${bytesMax} bytes that are read`)
      yield chunk
    }
  }
  async function taken(source: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of source) {
      total += chunk.length
      if (total > bytesMax) throw end("TOO_LARGE", `unpacks to more than the ${bytesMax} bytes that are read`)
      try {
        take(chunk, isPacked ? null : stated)
      } catch (error) {
        refusal = { error }
        throw error
      }
    }
  }
  try {
    if (stated === null && !isChunked(response.headers["transfer-encoding"])) {
      throw end("LENGTH_UNKNOWN", "neither Content-Length nor chunked encoding: a truncated body could not be detected")
    }
    if (stated !== null && stated > bytesMax) throw end("TOO_LARGE", `${stated} bytes, at most ${bytesMax} are read`)
    if (signal.aborted) throw wire.late()
    if (isPacked) await pipeline(response, counted, createGunzip(), taken)
    else await pipeline(response, counted, taken)
  } catch (error) {
    request.destroy()
    if (refusal !== null) throw (refusal as { readonly error: unknown }).error
    if (fault !== null) throw fault
    if (error instanceof TransferFault) throw error
    throw brokenBody(error, shown, wire.bytes(), stated)
  } finally {
    wire.stop()
  }
  const received = wire.bytes()
  // INVARIANT: check both conditions. After a chunk error, or bytes beyond the stated length, the stream simply ends.
  if (!response.complete) throw new TransferFault("TRUNCATED", `${shown}: broken off after ${received} bytes`)
  if (stated !== null && received !== stated)
    throw new TransferFault("TRUNCATED", `${shown}: ${received} of ${stated} bytes`)
  return total
}

/** Counts the bytes on the wire and ends a transfer that is idle, too slow or not done in time. */
interface WireMeter {
  /** Returns the number of bytes so far. */
  count(chunk: Uint8Array): number
  bytes(): number
  /** Ends the transfer because its time is over. */
  late(): TransferFault
  stop(): void
}

type EndTransfer = (code: TransferFault["code"], why: string) => TransferFault

function meterOf({ limits, signal }: BodyRules, end: EndTransfer): WireMeter {
  let bytes = 0
  let windowStart = 0
  const idle = () => setTimeout(() => end("TIMED_OUT", `no byte for ${limits.idleMs} ms`), limits.idleMs)
  let idling = idle()
  const pace = setInterval(() => {
    const moved = bytes - windowStart
    if (moved < limits.paceBytes) {
      end("TOO_SLOW", `${moved} bytes in ${limits.paceWindowMs} ms, at least ${limits.paceBytes} are required`)
    }
    windowStart = bytes
  }, limits.paceWindowMs)
  const late = () => end("TIMED_OUT", `not done within ${limits.wholeMs} ms`)
  signal.addEventListener("abort", late, { once: true })
  return {
    count: ({ length }) => {
      clearTimeout(idling)
      idling = idle()
      bytes += length
      return bytes
    },
    bytes: () => bytes,
    late,
    stop: () => {
      clearTimeout(idling)
      clearInterval(pace)
      signal.removeEventListener("abort", late)
    },
  }
}

function brokenBody(error: unknown, shown: string, wire: number, stated: number | null): TransferFault {
  const code = codeOf(error)
  if (code.startsWith("Z_")) return new TransferFault("TRUNCATED", `${shown}: the compressed body is damaged (${code})`)
  return new TransferFault(
    "TRUNCATED",
    `${shown}: ended after ${wire}${stated === null ? "" : ` of ${stated}`} bytes (${code})`,
  )
}

function statedLength(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null
}

function isChunked(text: string | undefined): boolean {
  return text?.trim().toLowerCase() === "chunked"
}

/** The request asks for no content encoding, but some stores send stored files gzipped anyway. */
function packing(text: string | undefined, shown: string, destroy: () => void): boolean {
  const encoding = (text ?? "identity").trim().toLowerCase()
  if (encoding === "gzip" || encoding === "x-gzip") return true
  if (encoding === "identity" || encoding === "") return false
  destroy()
  throw new TransferFault("ENCODING_REFUSED", `${shown}: a content encoding that was not requested`)
}
