/** The tools: every free operation whose row says so, and every paid one. The name of a tool is the id of its operation. */
import { type TObject, type TSchema, Type } from "@sinclair/typebox"
import type { Operation } from "../../../schemas/operation.ts"
import { text } from "../../../schemas/text.ts"
import { selfContained } from "./tool-schema.ts"

/**
 * CHOICE: a longer output schema is not listed, because every agent reads the whole list into its context, and the list stays under 64 KiB.
 * The result of such a tool has the schema of its route in the OpenAPI document.
 */
const OUTPUT_SCHEMA_CHARACTERS_MAX = 700

/** A path parameter that accepts every text. HTTP cannot send an empty one. */
const PathText = text(1, 256)

type ToolOperation = Operation & ({ readonly product: object } | { readonly tool: "READ" | "WRITE" })

export function isTool(operation: Operation): operation is ToolOperation {
  return operation.product !== undefined || operation.tool !== undefined
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

/** A shorter input is repeated rather than named. */
const REPEATED_INPUT_CHARACTERS_MIN = 1000

/**
 * Returns the tools as `tools/list` has them.
 *
 * CHOICE: tools with the same input, such as the five of planning, describe it once: the first of them whole, each other one by the names of
 * its members and the name of the first. A date-time has its format without the pattern. Calls are checked by the schemas of the routes.
 */
export function toolLines(operations: readonly ToolOperation[]): readonly object[] {
  const first = new Map<string, string>()
  return operations.map((operation) => {
    const line = toolLine(operation)
    const input = JSON.stringify(line.inputSchema)
    const earlier = first.get(input)
    if (earlier === undefined) first.set(input, operation.id)
    const isShort = earlier !== undefined && input.length >= REPEATED_INPUT_CHARACTERS_MIN
    return isShort ? { ...line, inputSchema: namesOnly(line.inputSchema, earlier) } : withoutDatePatterns(line)
  })
}

function namesOnly(input: object, earlier: string): object {
  const { properties = {}, required } = input as { readonly properties?: object; readonly required?: readonly string[] }
  return {
    type: "object",
    description: `The same input as that of ${earlier}`,
    properties: Object.fromEntries(Object.keys(properties).map((name) => [name, {}])),
    ...(required && { required }),
    additionalProperties: false,
  }
}

function withoutDatePatterns(line: object): object {
  return JSON.parse(JSON.stringify(line), (_, value: unknown) => {
    if (typeof value !== "object" || value === null || !("format" in value) || value.format !== "date-time")
      return value
    const { pattern: __, ...rest } = value as { readonly pattern?: unknown }
    return rest
  }) as object
}

interface ToolLine {
  readonly inputSchema: object
  readonly [member: string]: unknown
}

/** One tool with its whole input. */
export function toolLine(operation: ToolOperation): ToolLine {
  const outputSchema = outputSchemaOf(operation)
  return {
    name: operation.id,
    description: descriptionOf(operation),
    inputSchema: inputSchemaOf(operation),
    ...(outputSchema && { outputSchema }),
    annotations: annotationsOf(operation),
  }
}

function descriptionOf({ summary, price, product }: Operation): string {
  if (!product) return `${summary}. Free.`
  return `${summary}. Costs ${price?.amount} ${price?.asset}: without _meta["x402/payment"] the result is the quote, which charges nothing.`
}

/** The body's members and one member for each path parameter. Throws if a parameter has the name of a member of the body. */
function inputSchemaOf(operation: Operation): object {
  const parameters = parameterSchema(operation)
  const body = operation.body as TSchema | undefined
  if (!body) return selfContained(parameters ?? Type.Object({}, { additionalProperties: false }))
  if (!parameters) return { type: "object", ...selfContained(body) }
  const { properties, required = [], ...rest } = body as TObject
  const names = Object.keys(parameters.properties)
  if (!properties || names.some((name) => name in properties)) {
    throw new TypeError(`${operation.id}: a path parameter cannot stand among the members of the body`)
  }
  return selfContained({
    ...rest,
    properties: { ...parameters.properties, ...properties },
    required: [...names, ...required],
  } as TSchema)
}

/** Of a paid tool there is none: SDK 1.32.2 rejects a quote as structured content that is not the answer. */
function outputSchemaOf({ product, responses }: Operation): object | null {
  const schema = (responses[200] ?? responses[201])?.schema
  if (product || !schema) return null
  const printed = { type: "object", ...selfContained(schema) }
  return JSON.stringify(printed).length > OUTPUT_SCHEMA_CHARACTERS_MAX ? null : printed
}

/**
 * CHOICE: no tool is destructive: each write adds a challenge, an event, a nonce or an answer, and none changes an earlier one. A paid call
 * may be repeated: the same payment for the same arguments gets the stored answer.
 */
function annotationsOf({ tool, product, queriesSources }: ToolOperation): object {
  const isRead = tool === "READ"
  return {
    readOnlyHint: isRead,
    destructiveHint: false,
    idempotentHint: isRead || product !== undefined,
    openWorldHint: queriesSources === true,
  }
}
