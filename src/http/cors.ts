import type { Operation } from "../../schemas/operation.ts"

/** CORS headers of a public operation for any origin. Credentials are never allowed, and paid answers have no CORS headers (rulings 20). */
export function corsHeaders(cors: Operation["cors"]): Readonly<Record<string, string>> {
  return cors === "PUBLIC"
    ? {
        "access-control-allow-origin": "*",
        "access-control-expose-headers":
          "Content-Digest, ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Svc-Generation, X-Coverage, X-Request-Id",
      }
    : {}
}

/** What a browser may send. The endpoints of A2A and MCP read the versions; some clients send them, and their own `Accept`, everywhere. */
const ALLOWED_HEADERS = "Accept, A2A-Version, Content-Type, If-None-Match, MCP-Protocol-Version, Traceparent"

/** Returns the preflight headers for the methods of a path, by its cross-origin rule. */
export function preflightHeaders(
  cors: Operation["cors"],
  methods: readonly string[],
): Readonly<Record<string, string>> {
  return cors === "PUBLIC"
    ? {
        "access-control-allow-origin": "*",
        "access-control-allow-methods": methods.join(", "),
        "access-control-allow-headers": ALLOWED_HEADERS,
        "access-control-max-age": "86400",
      }
    : {}
}
