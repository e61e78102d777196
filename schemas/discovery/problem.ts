/** The meaning of a rejection: the document behind the `type` of every problem. */
import { type Static, Type } from "@sinclair/typebox"
import { closed } from "../common.ts"
import { FREE, operation } from "../operation.ts"
import { problem } from "../problem.ts"
import { HTML } from "../response.ts"

/** One row of the error catalogue. */
export const ProblemDescription = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    type: Type.String({ description: "Address of this document" }),
    code: Type.String(),
    title: Type.String(),
    status: Type.Integer({ description: "The usual status; a problem carries the status of its own response" }),
    retryable: Type.Boolean(),
    charged: Type.Literal(false),
    next_machine_action: Type.String(),
  },
  { $id: "ProblemDescription" },
)
export type ProblemDescription = Static<typeof ProblemDescription>

export const getProblem = operation({
  ...FREE,
  id: "get_problem",
  method: "GET",
  path: "/problems/{code}",
  summary: "What an error code means, as JSON or as a page",
  parameters: { code: Type.String({ pattern: "^[A-Z][A-Z0-9_]{1,63}$" }) },
  body: undefined,
  responses: {
    200: {
      description: "Row of the catalogue",
      schema: ProblemDescription,
      otherMediaTypes: [HTML],
    },
    304: { description: "Unchanged since the ETag sent" },
    404: { ...problem("No error has this code"), otherMediaTypes: [HTML] },
  },
  cors: "PUBLIC",
  rateLimit: { group: "discovery", perMinute: 600 },
})
