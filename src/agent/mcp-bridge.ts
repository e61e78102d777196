/**
 * Carries MCP messages between a local program (one JSON-RPC message on each line) and a remote service (one POST for each message). It
 * changes no message, holds no key and pays nothing: a payment that the program puts into a message passes through unread.
 */

import { CommandError } from "../base/exit.ts"
import {
  encodeHeaderText,
  MCP_METHOD_HEADER,
  MCP_NAME_HEADER,
  MCP_VERSION_HEADER,
  MCP_VERSION_META,
  metaOf,
  namedIn,
} from "../core/discovery/mcp-headers.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../core/strict-json.ts"
import { answered, DELIVERY_BYTES_MAX, type Send, secretPlace } from "./service-call.ts"

interface Bridge {
  readonly send: Send
  /** Address of the MCP endpoint. */
  readonly url: string
  /** Input lines without line breaks. Null means that a line exceeds the limit. */
  readonly lines: AsyncIterable<string | null>
  /** Writes one message. */
  readonly write: (line: string) => Promise<void>
}

/** CHOICE: more calls at once than this are answered with an error. A desktop agent makes a few. */
const CALLS_MAX = 64
/** Longer than the service waits for a settlement. */
const TIMEOUT_MS = 120_000
const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const INTERNAL_ERROR = -32603

/** Resolves when the input has ended and every call is answered. Rejects if a message cannot be written. */
export async function runBridge({ send, url, lines, write }: Bridge): Promise<void> {
  /** The running calls by the text of their id. */
  const running = new Map<string, AbortController>()
  const tasks = new Set<Promise<void>>()
  const broken: unknown[] = []
  /** The revision that `initialize` agreed on. */
  let negotiated: string | null = null
  const fail = (id: unknown, code: number, message: string) =>
    write(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }))

  async function carry(line: string, message: JsonObject, stop: AbortController): Promise<void> {
    const { id = null } = message
    const request = requestTo(url, line, headersOf(message, negotiated), stop.signal)
    let answer: { readonly status: number; readonly bytes: Uint8Array }
    try {
      answer = await answered(send, request, DELIVERY_BYTES_MAX)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      if (!stop.signal.aborted && id !== null) await fail(id, INTERNAL_ERROR, error.message)
      return
    }
    if (id === null || stop.signal.aborted) return
    const text = new TextDecoder().decode(answer.bytes)
    const reply = objectIn(text)
    if (reply?.["jsonrpc"] !== "2.0") {
      await fail(id, INTERNAL_ERROR, `the service answered HTTP ${answer.status} without a JSON-RPC message`)
    } else if (reply["id"] === id) {
      if (message["method"] === "initialize") negotiated = versionIn(reply) ?? negotiated
      // JSON has line ends only between its tokens.
      await write(text.replaceAll(/[\r\n]+/g, " "))
    } else {
      // A request that was refused before it was read has no id in its answer.
      await write(JSON.stringify({ ...reply, id }))
    }
  }

  function take(line: string): Promise<void> | null {
    if (line.trim() === "") return null
    const message = objectIn(line)
    if (message === null) return fail(null, isJson(line) ? INVALID_REQUEST : PARSE_ERROR, "not one JSON-RPC message")
    if (message["method"] === "notifications/cancelled") {
      running.get(JSON.stringify(objectOf(message["params"])?.["requestId"]))?.abort()
      return null
    }
    const { id = null } = message
    const secret = secretPlace(message)
    if (secret !== null) return fail(id, INVALID_REQUEST, `nothing was sent: ${secret}`)
    if (tasks.size >= CALLS_MAX) return fail(id, INTERNAL_ERROR, `at most ${CALLS_MAX} calls run at once`)
    const stop = new AbortController()
    const key = JSON.stringify(id)
    if (id !== null) running.set(key, stop)
    return carry(line, message, stop).finally(() => {
      if (running.get(key) === stop) running.delete(key)
    })
  }

  for await (const line of lines) {
    const task = line === null ? fail(null, INVALID_REQUEST, "the line is too long") : take(line)
    if (task === null) continue
    const tracked: Promise<void> = task
      .catch((error: unknown) => void broken.push(error))
      .finally(() => tasks.delete(tracked))
    tasks.add(tracked)
    if (broken.length > 0) break
  }
  await Promise.all(tasks)
  if (broken.length > 0) throw broken[0]
}

function requestTo(url: string, body: string, headers: Record<string, string>, stopped: AbortSignal): Request {
  return new Request(url, {
    method: "POST",
    headers: { accept: "application/json, text/event-stream", ...headers },
    body,
    redirect: "error",
    signal: AbortSignal.any([stopped, AbortSignal.timeout(TIMEOUT_MS)]),
  })
}

/** The headers that repeat a message: those of its own revision, or the revision that `initialize` agreed on. */
function headersOf(message: JsonObject, negotiated: string | null): Record<string, string> {
  const { method } = message
  const params = objectOf(message["params"]) ?? undefined
  const claimed = metaOf(params)?.[MCP_VERSION_META]
  const type = { "content-type": "application/json" }
  if (typeof claimed !== "string" || typeof method !== "string") {
    return negotiated === null ? type : { ...type, [MCP_VERSION_HEADER]: negotiated }
  }
  const name = namedIn(method, params)
  return {
    ...type,
    [MCP_VERSION_HEADER]: encodeHeaderText(claimed),
    [MCP_METHOD_HEADER]: encodeHeaderText(method),
    ...(name !== null && { [MCP_NAME_HEADER]: encodeHeaderText(name) }),
  }
}

function versionIn(reply: JsonObject): string | null {
  const version = objectOf(reply["result"])?.["protocolVersion"]
  return typeof version === "string" && /^[\d-]+$/.test(version) ? version : null
}

function objectOf(value: JsonValue | undefined): JsonObject | null {
  return isJsonObject(value) ? value : null
}

function objectIn(text: string): JsonObject | null {
  return isJson(text) ? objectOf(JSON.parse(text)) : null
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
