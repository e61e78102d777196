/**
 * Every tool of every set, as the libraries of the large model vendors convert it: none refuses it, and none loses a member of its input.
 * They convert schemas only; nothing is sent.
 */
import { afterAll, describe, expect, spyOn, test } from "bun:test"
import { join } from "node:path"
import { mcpTools } from "@anthropic-ai/sdk/helpers/beta/mcp"
import { transformJSONSchema } from "@anthropic-ai/sdk/lib/transform-json-schema"
import { GoogleGenAI } from "@google/genai"
import { type MCPServer, mcpToFunctionTool } from "@openai/agents-core"
import { toStrictJsonSchema } from "openai/lib/transform"
import { defaultConfig } from "../../../src/base/config.ts"
import { operationTable } from "../../../src/discovery/operations.ts"
import { toolsOf } from "../../../src/endpoints/mcp/tools.ts"
import { ROOT } from "../../fixtures/imports.ts"

interface Schema {
  readonly [member: string]: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
}
interface Line {
  readonly name: string
  readonly description: string
  readonly inputSchema: Schema & { readonly type: "object" }
}

const lines = toolsOf(operationTable(defaultConfig().agent_id_channels.slugs)).map(({ line }) => line as Line)
const each = lines.map((line) => [line.name, line] as const)

/** Paths of all members, whichever variant has them. */
function* membersOf({ properties = {}, anyOf = [], items }: Schema, at = ""): Generator<string> {
  for (const [name, member] of Object.entries(properties)) {
    yield `${at}/${name}`
    yield* membersOf(member, `${at}/${name}`)
  }
  for (const variant of anyOf) yield* membersOf(variant, at)
  if (items) yield* membersOf(items, `${at}[]`)
}
const members = (schema: unknown) => [...membersOf(schema as Schema)].toSorted()

/** True if an object of the input lists no members, as a draft or a map of the caller's own names. No strict form can say that. */
function isOpen(schema: Schema): boolean {
  const { type, properties, anyOf = [], items } = schema
  if (type === "object" && Object.keys(properties ?? {}).length === 0) return true
  return [...Object.values(properties ?? {}), ...anyOf, ...(items ? [items] : [])].some(isOpen)
}

describe("OpenAI", () => {
  test.each(each)("SDK: %s becomes a strict schema", (_name, { inputSchema }) => {
    const strict = toStrictJsonSchema(structuredClone(inputSchema) as never)
    expect(members(strict)).toEqual(members(inputSchema))
  })

  test.each(each)("agents SDK: %s becomes a function, strict unless it has an open object", (_name, line) => {
    const server = { name: "svc", cacheToolsList: false } as unknown as MCPServer
    const warned = spyOn(console, "warn").mockImplementation(() => {})
    const made = mcpToFunctionTool(line as never, server, true)
    warned.mockRestore()
    expect([made.name, made.strict]).toEqual([line.name, !isOpen(line.inputSchema)])
    expect(members(made.parameters)).toEqual(members(line.inputSchema))
    expect(made.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  })
})

describe("Anthropic", () => {
  test.each(each)("%s becomes a strict schema", (_name, { inputSchema }) => {
    expect(members(transformJSONSchema(structuredClone(inputSchema) as never))).toEqual(members(inputSchema))
  })

  test("all become tools of its MCP helper", () => {
    const made = mcpTools(lines as never, { callTool: () => Promise.reject(new Error("not called")) } as never)
    expect(made.map((tool) => "name" in tool && tool.name)).toEqual(lines.map(({ name }) => name))
    for (const { name } of lines) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  })
})

/** Members of Google's Schema. Another is refused by the service behind the library. */
const GOOGLE = new Set([
  ..."type format title description nullable enum maxItems minItems properties required minimum maximum".split(" "),
  ..."minLength maxLength pattern example anyOf propertyOrdering default items minProperties maxProperties".split(" "),
])
const GOOGLE_TYPES = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"]

function* googleFaults(schema: Schema, at: string): Generator<string> {
  for (const keyword of Object.keys(schema)) if (!GOOGLE.has(keyword)) yield `${at} has ${keyword}`
  if (!schema.anyOf && !GOOGLE_TYPES.includes(schema["type"] as string)) yield `${at} has no type`
  const values = (schema["enum"] ?? []) as readonly unknown[]
  if (values.some((value) => typeof value !== "string")) yield `${at} lists a value that is no text`
  for (const [name, member] of Object.entries(schema.properties ?? {})) yield* googleFaults(member, `${at}/${name}`)
  if (schema.items) yield* googleFaults(schema.items, `${at}[]`)
  for (const variant of schema.anyOf ?? []) yield* googleFaults(variant, at)
}

describe("Google", () => {
  const sent: { tools: readonly [{ functionDeclarations: readonly { name: string; parameters: Schema }[] }] }[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      sent.push((await request.json()) as (typeof sent)[number])
      return Response.json({ candidates: [] })
    },
  })
  afterAll(() => server.stop(true))

  test("all become function declarations of its schema model", async () => {
    const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: server.url.href } })
    const functionDeclarations = lines.map(({ name, description, inputSchema }) => ({
      name,
      description,
      parameters: structuredClone(inputSchema) as never,
    }))
    await client.models.generateContent({ model: "m", contents: "c", config: { tools: [{ functionDeclarations }] } })
    const declared = sent[0]?.tools[0].functionDeclarations ?? []
    expect(declared.map(({ name }) => name)).toEqual(lines.map(({ name }) => name))
    for (const [at, { name, parameters }] of declared.entries()) {
      expect([...googleFaults(parameters, name)]).toEqual([])
      expect(members(parameters)).toEqual(members(lines[at]?.inputSchema))
      expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/)
    }
  })
})

/** The same over the Python libraries, where the machine has them. */
const SCRIPT = join(ROOT, "test", "fixtures", "agent-libraries.py")
const python = Bun.which("python3")
const lacking = python === null ? "python3" : lackingModule(python)

function lackingModule(program: string): string | null {
  const { exitCode, stdout } = Bun.spawnSync([program, SCRIPT, "--lacking"])
  return exitCode === 0 ? stdout.toString().trim() || null : "python3"
}

test(`Python: openai-agents, anthropic and google-genai take every tool${lacking === null ? "" : ` (NOT RUN: no ${lacking})`}`, async () => {
  if (lacking !== null || python === null) return
  const child = Bun.spawn([python, SCRIPT], {
    stdin: new Blob([JSON.stringify(lines)]),
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect([err, out.trim().split("\n")]).toEqual(["", [String(lines.length)]])
})
