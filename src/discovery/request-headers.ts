import { DIGEST_HEADER, KEY_HEADER } from "../http/paid-headers.ts"
import type { SoldOperation } from "./sold.ts"

export interface RequestHeader {
  readonly name: string
  /** What the value repeats of the body. */
  readonly of: "IDEMPOTENCY_KEY" | "BODY_DIGEST"
  readonly description: string
}

const GB_HEADERS: readonly RequestHeader[] = [
  { name: KEY_HEADER, of: "IDEMPOTENCY_KEY", description: "idempotency_key of the body" },
  { name: DIGEST_HEADER, of: "BODY_DIGEST", description: "sha256: and the hex SHA-256 of exactly the body's bytes" },
]

/** The headers that a purchase carries besides its body (Interface, "UK request headers"). */
export function requestHeaders({ product }: Pick<SoldOperation, "product">): readonly RequestHeader[] {
  return product.jurisdiction === "GB" ? GB_HEADERS : []
}
