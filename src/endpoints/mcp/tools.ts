/** The tools: what `tools/list` says of each, and which operation a call of it runs. */
import { type TObject, type TSchema, Type } from "@sinclair/typebox"
import type { Operation } from "../../../schemas/operation.ts"
import { text } from "../../../schemas/text.ts"
import { compiledAtFirstUse } from "../../core/compiled-at-first-use.ts"
import { requireSchema } from "../../http/read-body.ts"
import { asRouteTakes, inputSchema, variantOf } from "./input-schema.ts"
import { sharedTools } from "./shared-tools.ts"
import type { Tool } from "./tool.ts"
import { descriptionOf, hints, paidDescription } from "./tool-description.ts"
import { selfContained } from "./tool-schema.ts"
import { FREE_TOOLS, type FreeTool } from "./tool-table.ts"

/**
 * CHOICE: a longer output schema is not listed, because every agent reads the whole list into its context. The result of such a tool has the
 * schema of its route in the OpenAPI document.
 */
const OUTPUT_SCHEMA_CHARACTERS_MAX = 700

/** A path parameter that accepts every text. HTTP cannot send an empty one. */
const PathText = text(1, 256)

type ToolOperation = Operation & ({ readonly product: object } | { readonly tool: "READ" | "WRITE" })

/** An operation that may also be called by its own id. */
export function isTool(operation: Operation): operation is ToolOperation {
  return operation.product !== undefined || operation.tool !== undefined
}

/** Every tool of the served operations, those of the default list first. */
export function toolsOf(rows: readonly Operation[]): readonly Tool[] {
  const free = FREE_TOOLS.flatMap((entry) => {
    const operation = rows.find(({ id }) => id === entry.operation)
    return operation && isTool(operation) ? [freeTool(entry, operation)] : []
  })
  const paid = rows
    .filter(isTool)
    .filter(({ product }) => product !== undefined)
    .map((row) => paidTool(row, rows))
  const all = [...free, ...sharedTools(rows), ...paid]
  return [...all.filter(({ set }) => set === null), ...all.filter(({ set }) => set !== null)]
}

function freeTool({ operation: id, name = id, set, variant, ...words }: FreeTool, operation: ToolOperation): Tool {
  const body = operation.body as TSchema | undefined
  const ofTool = body && variant ? variantOf(body, ...variant) : body
  const outputSchema = outputSchemaOf(operation)
  const check = compiledAtFirstUse(ofTool ?? Type.Object({}))
  return {
    name,
    set,
    line: {
      name,
      description: descriptionOf({ what: operation.summary, ...words }),
      inputSchema: inputOf(operation, ofTool),
      ...(outputSchema && { outputSchema }),
      annotations: annotationsOf(operation),
    },
    route: (sent) => {
      const given = ofTool ? asRouteTakes(ofTool, sent) : sent
      // The route would take another purpose too.
      if (name !== id) requireSchema(check(), given)
      return { operation: id, given }
    },
  }
}

/** SDK 1.32.2 rejects a quote as structured content that is not the answer, so a paid tool has no output schema. */
function paidTool(operation: ToolOperation, rows: readonly Operation[]): Tool {
  const { id } = operation
  const body = operation.body as TSchema
  return {
    name: id,
    set: null,
    line: {
      name: id,
      description: paidDescription(operation, rows),
      inputSchema: inputOf(operation, body),
      annotations: annotationsOf(operation),
    },
    route: (sent) => ({ operation: id, given: asRouteTakes(body, sent) }),
  }
}

/** Names of the path parameters, in their order. */
export function pathParameters({ path }: Operation): string[] {
  return [...path.matchAll(/\{([A-Za-z]+)\}/g)].map(([, name = ""]) => name)
}

/** The path parameters of a tool as a closed object, or null if its path has none and its arguments are the body. */
export function parameterSchema(operation: Operation): TObject | null {
  const names = pathParameters(operation)
  if (names.length === 0 && operation.body) return null
  const members = names.map((name) => [name, operation.parameters?.[name] ?? PathText])
  return Type.Object(Object.fromEntries(members) as Record<string, TSchema>, { additionalProperties: false })
}

/** The body's members and one member for each path parameter. Throws if a parameter has the name of a member of the body. */
export function inputOf(operation: Operation, body: TSchema | undefined): object {
  const parameters = parameterSchema(operation)
  if (!body) return inputSchema(parameters ?? Type.Object({}))
  if (!parameters) return inputSchema(body)
  const { properties, required = [] } = body as TObject
  const names = Object.keys(parameters.properties)
  if (names.some((name) => name in properties)) {
    throw new TypeError(`${operation.id}: a path parameter has the name of a member of the body`)
  }
  return inputSchema({
    type: "object",
    properties: { ...parameters.properties, ...properties },
    required: [...names, ...required],
  } as unknown as TSchema)
}

function outputSchemaOf({ responses }: Operation): object | null {
  const schema = (responses[200] ?? responses[201])?.schema
  if (!schema) return null
  const printed = { type: "object", ...selfContained(schema) }
  return JSON.stringify(printed).length > OUTPUT_SCHEMA_CHARACTERS_MAX ? null : printed
}

/**
 * CHOICE: no tool is destructive: each write adds a challenge, an event, a nonce or an answer, and none changes an earlier one. A paid call
 * may be repeated: the same payment for the same arguments gets the stored answer.
 */
function annotationsOf({ tool, product, queriesSources }: ToolOperation): object {
  return hints({ isRead: tool === "READ", isRepeatable: product !== undefined, asksSources: queriesSources === true })
}
