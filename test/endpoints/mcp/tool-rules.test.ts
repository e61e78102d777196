/** The rules for every tool of every set: inputs that each agent library reads, and words for a model that sees one tool. */
import { describe, expect, test } from "bun:test"
import Ajv2020 from "ajv/dist/2020"
import addFormats from "ajv-formats"
import { MCP_TOOL_SET_NAMES } from "../../../schemas/discovery/mcp.ts"
import { PRODUCT_OPERATIONS } from "../../../schemas/product-operations.ts"
import { defaultConfig } from "../../../src/base/config.ts"
import { SettingFault } from "../../../src/base/setting-kinds.ts"
import { settings } from "../../../src/base/settings.ts"
import { operationTable } from "../../../src/discovery/operations.ts"
import { FREE_TOOLS } from "../../../src/endpoints/mcp/tool-table.ts"
import { toolsOf } from "../../../src/endpoints/mcp/tools.ts"

interface Schema {
  readonly [member: string]: unknown
  readonly type?: unknown
  readonly description?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly [Schema, Schema]
}
interface Line {
  readonly name: string
  readonly description: string
  readonly inputSchema: Schema
}

const rows = operationTable(defaultConfig().agent_id_channels.slugs)
const tools = toolsOf(rows)
const lines = tools.map(({ line }) => line as Line)

/** Keywords that at least one library refuses or drops. */
const NOWHERE = [
  "$ref",
  "$defs",
  "oneOf",
  "allOf",
  "not",
  "const",
  "propertyNames",
  "patternProperties",
  "additionalProperties",
  "prefixItems",
  "uniqueItems",
  "nullable",
]
const TYPES = ["string", "integer", "number", "boolean", "array", "object"]

/** A member has one type. A member that a caller may leave out has null as its only other type. */
function* memberFaults(member: Schema, at: string): Generator<string> {
  if (typeof member.description !== "string" || member.description.length < 3) yield `${at} is not described`
  const { anyOf, description: _, ...others } = member
  if (anyOf === undefined) return yield* faultsOf(member, at)
  if (Object.keys(others).length > 0) yield `${at} has a choice and more`
  if (anyOf.length !== 2 || JSON.stringify(anyOf[1]) !== '{"type":"null"}') yield `${at} has a choice of types`
  yield* faultsOf(anyOf[0], at)
}

function* faultsOf(schema: Schema, at: string): Generator<string> {
  for (const keyword of [...NOWHERE, "anyOf"]) if (keyword in schema) yield `${at} has ${keyword}`
  if (!TYPES.includes(schema.type as string)) yield `${at} has no single type`
  for (const value of schema.enum ?? []) {
    const kind = Number.isInteger(value) ? "integer" : typeof value
    if (kind !== schema.type) yield `${at} lists a value of another type`
  }
  const { properties = {}, required = [], items } = schema
  for (const name of required) if (!(name in properties)) yield `${at} requires ${name}, which it does not have`
  if (schema.type === "array" && items === undefined) yield `${at} says nothing of its items`
  if (items) yield* faultsOf(items, `${at}[]`)
  for (const [name, member] of Object.entries(properties)) {
    if (required.includes(name) === (member.anyOf !== undefined)) yield `${at}/${name} must be needed or take null`
    yield* memberFaults(member, `${at}/${name}`)
  }
}

describe("each input", () => {
  test("has one type and a description for every member at any depth, null for one that is not needed, and no keyword that a library refuses", () => {
    expect(lines.flatMap(({ name, inputSchema }) => [...faultsOf(inputSchema, name)])).toEqual([])
  })

  test("is an object with properties and nothing else at its root", () => {
    for (const { name, inputSchema } of lines) {
      const { type, properties, required: _, ...others } = inputSchema
      expect([name, type, typeof properties, Object.keys(others)]).toEqual([name, "object", "object", []])
    }
  })

  test("accepts the example of its operation", () => {
    const ajv = new Ajv2020({ strict: false })
    addFormats(ajv)
    for (const { exampleBody, id, path } of rows) {
      const line = lines.find(({ name }) => name === id)
      // An example with a path has its parameter in the address. Another purpose of the same operation is another tool.
      if (!line || exampleBody === undefined || path.includes("{")) continue
      const given = withoutNull(exampleBody)
      expect([id, ajv.validate(line.inputSchema, given), ajv.errors]).toEqual([id, true, null])
    }
  })
})

/** A caller leaves out what is null. */
function withoutNull(value: object): object {
  return JSON.parse(JSON.stringify(value), (_, one: unknown) => (one === null ? undefined : one)) as object
}

describe("each description", () => {
  test("says when to use the tool, what it costs and what to do next", () => {
    for (const { name, description } of lines) {
      expect([name, / Use it /.test(description), / Next: /.test(description)]).toEqual([name, true, true])
      expect([name, / Free\. | Costs \d+\.\d+ USDC: /.test(description)]).toEqual([name, true])
    }
  })

  test("of a UK product says that a person reviews it, and no other does", () => {
    for (const { paid } of PRODUCT_OPERATIONS) {
      const { description } = lines.find(({ name }) => name === paid.id) as Line
      const isUk = paid.product?.jurisdiction === "GB"
      expect([paid.id, description.includes("HUMAN_REVIEW_BEFORE_PAYMENT")]).toEqual([paid.id, isUk])
    }
  })
})

describe("the sets", () => {
  test("every free tool of the operation table is in one set, and every line of the table is an operation", () => {
    const free = rows.filter(({ tool }) => tool !== undefined).map(({ id }) => id)
    expect([...new Set(FREE_TOOLS.map(({ operation }) => operation))].toSorted()).toEqual(free.toSorted())
    expect(tools.filter(({ set }) => set !== null).every(({ set }) => MCP_TOOL_SET_NAMES.includes(set as never))).toBe(
      true,
    )
  })

  test("the setting mcp_sets takes the sets of the endpoint, and names them for another", () => {
    expect(settings.mcp_sets.parse(MCP_TOOL_SET_NAMES.join(","))).toEqual([...MCP_TOOL_SET_NAMES])
    const fault = settings.mcp_sets.parse("all")
    if (!(fault instanceof SettingFault)) throw new Error("the setting takes any name")
    expect(fault.why).toContain("identity, planning, sales, sandbox")
  })
})
