/**
 * The free tools that one operation of each product serves: a model reads four tools in place of four for each product. They name the
 * product by its paid tool, whose input describes the request.
 */
import { type TObject, type TSchema, Type } from "@sinclair/typebox"
import { closed, enumeration } from "../../../schemas/common.ts"
import type { Operation } from "../../../schemas/operation.ts"
import { RecoveryRequest } from "../../../schemas/us/recovery.ts"
import { compiledAtFirstUse } from "../../core/compiled-at-first-use.ts"
import { requireSchema } from "../../http/read-body.ts"
import { constantsOf, inputSchema, variantOf } from "./input-schema.ts"
import type { Members, Routed, Tool } from "./tool.ts"
import { descriptionOf, hints, type ToolWords } from "./tool-description.ts"

interface SharedTool {
  readonly name: string
  readonly words: ToolWords
  readonly isRead: boolean
  /** Members beside `product`. */
  readonly members: Readonly<Record<string, TSchema>>
  /** The operation that serves the product of a paid operation, or undefined if none does. */
  readonly operationOf: (paid: Operation, at: AtPath) => Operation | undefined
  readonly argumentsOf: (given: Members, operation: Operation) => Members
}

/** Finds the served operation of a path. */
type AtPath = (path: string) => Operation | undefined

const request = (description: string) => Type.Object({}, { description })
const recoveryOf: SharedTool["operationOf"] = ({ path }, at) => at(`${path}/recover`)

const SHARED_TOOLS: readonly SharedTool[] = [
  {
    name: "check_eligibility",
    words: {
      what: "Runs the free checks of a paid product on a request that may be incomplete, and says which would fail",
      use: "before every purchase; leave out what you do not have yet",
      next: "correct what FAILED, then call the paid tool with the whole request; review_draft names what is missing",
    },
    isRead: true,
    members: {
      request: request(
        "Arguments of the paid tool that product names, whole or in part; its input schema describes them",
      ),
    },
    operationOf: ({ path }, at) => at(`${path}/eligibility`),
    argumentsOf: ({ request: draft }) => draft as Members,
  },
  {
    name: "review_draft",
    words: {
      what: "Says what a draft of a request lacks, what is wrong in it, and how to buy",
      use: "to complete a request step by step; begin with an empty draft",
      next: "add the missing members and call check_eligibility, then the paid tool",
    },
    isRead: true,
    members: {
      request: request("Draft of the arguments of the paid tool that product names; its input schema describes them"),
    },
    operationOf: ({ path }, at) => at(`${path}/contact`),
    argumentsOf: ({ request: draft_request }, { body }) => ({
      ...constantsOf(variantOf(body as TSchema, "draft_request")),
      draft_request,
    }),
  },
  {
    name: "recover_payment_decision",
    words: {
      what: "Returns a Payment Decision that was bought, byte for byte, to the agent that asked for it",
      use: "if the answer to a paid call was lost; never pay again",
      next: "if the state is PENDING, wait and repeat with a new nonce and signature; otherwise act on the decision",
    },
    isRead: false,
    members: {
      request: request("The request as it was paid for; the input schema of release_payment_to_supplier describes it"),
      authentication: {
        ...RecoveryRequest.properties.authentication,
        description: "Signed by the agent's key, over the request and this nonce",
      },
    },
    operationOf: recoveryOf,
    argumentsOf: ({ request: paidFor, authentication }) => ({ request: paidFor, authentication }),
  },
  {
    name: "get_stored_answer",
    words: {
      what: "Returns an answer that was bought, without its authorization token; nothing is asked or charged again",
      use: "to read an answer again, or if you know only its id. A Payment Decision comes from recover_payment_decision",
      next: "verify it with the capsule in the result's _meta",
    },
    isRead: true,
    members: {
      execution_id: Type.String({ pattern: "^exe_[A-Za-z0-9_-]{22}$", description: "execution_id of the answer" }),
    },
    operationOf: (paid, at) =>
      recoveryOf(paid, at) ? undefined : at(`/v1/${paid.product?.jurisdiction.toLowerCase()}/executions/{executionId}`),
    argumentsOf: ({ execution_id: executionId }) => ({ executionId }),
  },
]

/** Tools of which no operation is served are left out. */
export function sharedTools(rows: readonly Operation[]): readonly Tool[] {
  const paid = rows.filter(({ product }) => product !== undefined)
  const at: AtPath = (path) => rows.find((row) => row.path === path)
  return SHARED_TOOLS.flatMap((tool) => madeOf(tool, paid, at))
}

function madeOf(tool: SharedTool, paid: readonly Operation[], at: AtPath): readonly Tool[] {
  const { name, words, isRead, members, operationOf, argumentsOf } = tool
  const sold = paid.filter((one) => operationOf(one, at) !== undefined)
  if (sold.length === 0) return []
  const described = { description: "The paid tool of the product" }
  const listed = closed({ product: { ...enumeration(...sold.map(({ id }) => id)), ...described }, ...members })
  // A caller that knows the product by its id means the same.
  const names = sold.flatMap(({ id, product }) => [id, product?.id ?? id])
  const check = compiledAtFirstUse(closed({ product: enumeration(...names), ...members }))
  const route = (given: Members): Routed => {
    requireSchema(check(), given)
    const chosen = sold.find(({ id, product }) => id === given["product"] || product?.id === given["product"])
    const operation = chosen && operationOf(chosen, at)
    if (!operation) throw new TypeError(`${name} has no operation`)
    return { operation: operation.id, given: argumentsOf(given, operation) }
  }
  const annotations = hints({ isRead, isRepeatable: false, asksSources: false })
  const line = { name, description: descriptionOf(words), inputSchema: inputSchema(listed as TObject), annotations }
  return [{ name, set: null, line, route }]
}
