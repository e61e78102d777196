/** The request metadata of MCP revision 2026-07-28 over HTTP: which part of a message each header repeats, and how. */

import { isObject } from "../strict-json.ts"

export const MCP_VERSION_HEADER = "mcp-protocol-version"
export const MCP_METHOD_HEADER = "mcp-method"
export const MCP_NAME_HEADER = "mcp-name"
/** Member of `params._meta` with the revision of a request. */
export const MCP_VERSION_META = "io.modelcontextprotocol/protocolVersion"

type Members = Readonly<Record<string, unknown>>

/** Member of `params` that the header Mcp-Name repeats, for the three methods that have it. */
const NAME_MEMBER: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
}

/** Returns what Mcp-Name repeats, or null if the method has no such header or the message no such text. */
export function namedIn(method: string, params: Members | undefined): string | null {
  const member = NAME_MEMBER[method]
  const value = member === undefined ? undefined : params?.[member]
  return typeof value === "string" ? value : null
}

/** Returns the object at `params._meta`, or null. */
export function metaOf(params: Members | undefined): Members | null {
  const meta = params?.["_meta"]
  return isObject(meta) ? meta : null
}

const SENTINEL = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Encodes the value for a header. If a header cannot carry the value unchanged, the result is base64 between sentinels. */
export function encodeHeaderText(value: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !SENTINEL.test(value)
  return isPlain ? value : `=?base64?${Buffer.from(value).toString("base64")}?=`
}

/** Returns the value that a header carries, or null if its base64 is not UTF-8. */
export function decodeHeaderText(text: string): string | null {
  const encoded = SENTINEL.exec(text)?.[1]
  if (encoded === undefined) return text
  try {
    return utf8.decode(Buffer.from(encoded, "base64"))
  } catch {
    return null
  }
}
