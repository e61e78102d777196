/**
 * The two eras of the protocol. A request of revision 2026-07-28 says in its own `_meta` which revision it speaks. An earlier client says it
 * in `initialize`, and later in a header. The service keeps no session: each message is read for itself.
 */
import {
  MCP_LEGACY_VERSIONS,
  MCP_MODERN_VERSIONS,
  MCP_VERSIONS,
  type McpMessage,
} from "../../../schemas/discovery/mcp.ts"
import {
  decodeHeaderText,
  MCP_METHOD_HEADER,
  MCP_NAME_HEADER,
  MCP_VERSION_HEADER,
  MCP_VERSION_META,
  metaOf,
  namedIn,
} from "../../core/discovery/mcp-headers.ts"
import { mayRepeat } from "./envelope.ts"
import { HEADER_MISMATCH, INVALID_PARAMS, McpError, UNSUPPORTED_VERSION } from "./mcp-error.ts"

export type Era = "LEGACY" | "MODERN"
export type McpRequest = McpMessage & { readonly method: string }

const CAPABILITIES_META = "io.modelcontextprotocol/clientCapabilities"
const BAD_REQUEST = 400

const isModern = (version: string) => (MCP_MODERN_VERSIONS as readonly string[]).includes(version)
const isLegacy = (version: string) => (MCP_LEGACY_VERSIONS as readonly string[]).includes(version)

/**
 * Returns the era of a request. Throws {@link McpError} 400 for a revision that is not served, for a modern request without its `_meta`, and
 * for headers that do not repeat the body. CHOICE: a request that names no revision at all is served as one of the earlier era.
 */
export function requireEra(message: McpRequest, headers: Headers): Era {
  const meta = metaOf(message.params)
  const claimed = meta?.[MCP_VERSION_META]
  const header = headers.get(MCP_VERSION_HEADER)
  if (header?.includes(",")) throw mismatch("MCP-Protocol-Version", "was sent twice")
  if (claimed === undefined) {
    if (message.method === "initialize" || header === null || isLegacy(header)) return "LEGACY"
    if (!isModern(header)) throw unsupported(header)
  }
  if (typeof claimed !== "string") throw missing(MCP_VERSION_META)
  requireObject(meta?.[CAPABILITIES_META])
  requireRepeated("MCP-Protocol-Version", header, claimed)
  if (!isModern(claimed)) throw unsupported(claimed)
  requireRepeated("Mcp-Method", headers.get(MCP_METHOD_HEADER), message.method)
  const name = namedIn(message.method, message.params)
  if (name !== null) requireRepeated("Mcp-Name", decoded(headers.get(MCP_NAME_HEADER)), name)
  return "MODERN"
}

/** Returns the earlier revision to speak with a client that asks for `requested`. */
export function negotiated(requested: unknown): string {
  return typeof requested === "string" && isLegacy(requested) ? requested : MCP_LEGACY_VERSIONS[0]
}

function decoded(header: string | null): string | null {
  return header === null ? null : decodeHeaderText(header)
}

function requireRepeated(header: string, sent: string | null, value: string): void {
  if (sent === value) return
  throw mismatch(header, sent === null ? "is missing or cannot be read" : "differs from the body")
}

function mismatch(header: string, fault: string): McpError {
  return new McpError(HEADER_MISMATCH, `Header mismatch: ${header} ${fault}`, BAD_REQUEST)
}

function requireObject(value: unknown): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw missing(CAPABILITIES_META)
}

function missing(member: string): McpError {
  return new McpError(INVALID_PARAMS, `params._meta needs ${member}`, BAD_REQUEST)
}

function unsupported(requested: string): McpError {
  return new McpError(UNSUPPORTED_VERSION, "Unsupported protocol version", BAD_REQUEST, {
    supported: MCP_VERSIONS,
    ...(mayRepeat(requested) && { requested }),
  })
}
