import { type Static, Type } from "@sinclair/typebox"
import { closed } from "./common.ts"
import type { ResponseSpec } from "./operation.ts"

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
        pointer: Type.String({ description: "RFC 6901 pointer into the body, or header: and a name" }),
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
    execution_id: Type.Optional(
      Type.String({ description: "IDEMPOTENCY_KEY_REUSED: the answer that stands under the key, told to its payer" }),
    ),
  },
  { $id: "Problem" },
)
export type Problem = Static<typeof Problem>

/** A refusal of a route: what it means there. */
export function problem(description: string): ResponseSpec {
  return { description, schema: Problem, mediaType: "application/problem+json" }
}
