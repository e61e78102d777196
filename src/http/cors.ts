import type { Operation } from "../../schemas/operation.ts"

/** What any origin may do with a public operation. Never credentials; paid answers carry none of this (rulings 20). */
export function corsHeaders(cors: Operation["cors"]): Readonly<Record<string, string>> {
  return cors === "PUBLIC"
    ? {
        "access-control-allow-origin": "*",
        "access-control-expose-headers":
          "Content-Digest, ETag, Link, RateLimit, RateLimit-Policy, Retry-After, X-Coverage, X-Request-Id",
      }
    : {}
}

/** Headers of the answer to a preflight, by the cross-origin rule of the methods the path has. */
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
