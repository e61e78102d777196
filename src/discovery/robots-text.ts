import { readLlmsText, readRobotsText } from "../../schemas/discovery/entry.ts"
import type { Operation } from "../../schemas/operation.ts"
import type { ConstantRow, DocumentParts } from "./parts.ts"

export const ROBOTS_TEXT: ConstantRow = { operation: readRobotsText, print: robotsText }

/**
 * CHOICE: a crawler may read every document that is the same for all readers. It may not read what a path parameter names (identities,
 * invitations, executions), because only those who know the value should.
 */
function robotsText({ baseUrl, operations }: DocumentParts): string {
  const named = operations.filter(({ method, path }) => method === "GET" && path.includes("{")).map(prefixOf)
  const guide = operations.some(({ path }) => path === readLlmsText.path)
    ? [`# For agents: ${baseUrl}${readLlmsText.path}`]
    : []
  return [
    ...guide,
    "User-agent: *",
    "Allow: /",
    ...[...new Set(named)].map((prefix) => `Disallow: ${prefix}`),
    "",
  ].join("\n")
}

/** The path before its first parameter. */
function prefixOf({ path }: Operation): string {
  return path.slice(0, path.indexOf("{"))
}
