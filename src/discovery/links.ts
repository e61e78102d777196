import type { Operation } from "../../schemas/operation.ts"
import { pathTemplate } from "../core/discovery/path-template.ts"
import type { DocumentParts } from "./parts.ts"

type Served = Pick<DocumentParts, "baseUrl" | "operations">

/** Returns the served row at a path of the interface. */
export function servedAt({ operations }: Served, method: Operation["method"], path: string): Operation | undefined {
  return operations.find((row) => row.path === path && row.method === method)
}

/** Returns the URI of a document, or undefined if it is not served. */
export function documentUri(parts: Served, path: string): string | undefined {
  return servedAt(parts, "GET", path) && `${parts.baseUrl}${path}`
}

/** Returns the URI of a row, or its template if the path has parameters. */
export function whereOf(baseUrl: string, { path }: Operation): { uri: string } | { uri_template: string } {
  const address = baseUrl + pathTemplate(path)
  return isTemplate(path) ? { uri_template: address } : { uri: address }
}

export function isTemplate(path: string): boolean {
  return path.includes("{") || path.endsWith("*")
}

/** Media type of the answer with status 200. */
export function mediaTypeOf({ responses }: Operation): string {
  return responses[200]?.mediaType ?? "application/json"
}
