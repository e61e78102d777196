import { decodeBase64 } from "../core/bytes.ts"
import { type JsonValue, jsonOrUndefined } from "../core/strict-json.ts"

/** Returns the JSON in the base64 text of a header of x402; undefined without one, and for a text that is not base64 of strict JSON. */
export function headerJson(header: string | null): JsonValue | undefined {
  const bytes = header === null ? null : decodeBase64(header)
  return bytes === null ? undefined : jsonOrUndefined(bytes)
}
