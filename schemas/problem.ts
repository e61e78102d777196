import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, digestOver } from "./common.ts"
import type { ResponseSpec } from "./response.ts"

/** A delivered authorization that may be used instead of another purchase. */
export const reusableMembers = {
  /** Decision id, or execution id of a business answer. */
  decision_id: Type.String(),
  /**
   * The digest by which later requests name it: the digest in the delivery or, for a business answer, the core digest that its capsule
   * signs.
   */
  response_digest: digestOver(
    "C14N of the delivered response without delivery.response_digest, or the core digest of a business answer",
  ),
  valid_until: DateTime,
  /** URL of the route that returns it again. Present only for its buyer. */
  recover: Type.Optional(Type.String()),
}

/** RFC 9457 problem details with the members this service always adds. */
export const Problem = closed(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.String(),
    detail: Type.String(),
    instance: Type.String(),
    reason_codes: Type.Array(Type.String()),
    errors: Type.Array(
      closed({
        pointer: Type.String({ description: "RFC 6901 pointer into the body, header: or path: and a name, or path" }),
        code: Type.String(),
        expected: Type.String({ description: "Allowed values, pattern or bounds, in words" }),
      }),
    ),
    errors_omitted: Type.Integer({ minimum: 0, description: "Faults that errors does not list" }),
    retryable: Type.Boolean(),
    charged: Type.Literal(false),
    next_machine_action: Type.String(),
    request_id: Type.String(),
    trace_id: Type.String(),
    signed_form: Type.Optional(
      closed(
        { name: Type.String(), uri: Type.String() },
        { description: "The signed form or digest that the refusal is about, and the address of its rules" },
      ),
    ),
    execution_id: Type.Optional(
      Type.String({
        description: "IDEMPOTENCY_KEY_REUSED: the answer that was bought with this key; only its payer sees it",
      }),
    ),
    /** REUSABLE_DECISION_EXISTS names the authorization; see {@link reusableMembers}. */
    ...Type.Partial(Type.Object(reusableMembers)).properties,
  },
  { $id: "Problem" },
)
export type Problem = Static<typeof Problem>

/** A rejection of a route and its meaning there. */
export function problem(description: string): ResponseSpec {
  return { description, schema: Problem, mediaType: "application/problem+json" }
}
