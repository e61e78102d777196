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

/** Returns the preflight headers for the methods of a path, by its cross-origin rule. */
export function preflightHeaders(
  cors: Operation["cors"],
  methods: readonly string[],
): Readonly<Record<string, string>> {
  return cors === "PUBLIC"
    ? {
        "access-control-allow-origin": "*",
        "access-control-allow-methods": methods.join(", "),
        "access-control-allow-headers": "Content-Type, If-None-Match, Traceparent",
        "access-control-max-age": "86400",
      }
    : {}
}
