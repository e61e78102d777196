/** Objects that several operations have are printed once, if that is shorter, and lose nothing. */
import { expect, test } from "bun:test"
import { sharedObjects } from "../../../src/discovery/openapi/shared-objects.ts"

interface Response {
  readonly description?: string
  readonly $ref?: string
  readonly content?: object
}

const content = (name: string) => ({ "application/json": { schema: { $ref: `#/components/schemas/${name}` } } })
const NOT_FOUND: Response = { description: "No such resource of this service", content: content("Problem") }

function placed(all: readonly (readonly [string, Response])[]) {
  const shared = sharedObjects<Response>("responses", all)
  return { objects: all.map(([name, object]) => shared.place(name, object)), components: shared.components }
}

/** What a reader of the document sees. */
function resolved(object: Response, components: Readonly<Record<string, Response>>): Response {
  const { $ref, ...beside } = object
  return $ref?.startsWith("#/components/responses/") ? { ...components[$ref.slice(23)], ...beside } : object
}

test("equal objects share a component with their name", () => {
  const { objects, components } = placed([
    ["404", NOT_FOUND],
    ["404", NOT_FOUND],
  ])
  expect(objects).toEqual([{ $ref: "#/components/responses/404" }, { $ref: "#/components/responses/404" }])
  expect(components).toEqual({ "404": NOT_FOUND })
})

test("another object with the same name gets a number", () => {
  const other = { ...NOT_FOUND, description: "No such delivered answer of this country" }
  const { components } = placed([
    ["404", NOT_FOUND],
    ["404", NOT_FOUND],
    ["404", other],
    ["404", other],
  ])
  expect(components).toEqual({ "404": NOT_FOUND, "404_2": other })
})

test("an object that occurs once, or is shorter than a reference, stays in its place", () => {
  const short = { description: "Gone" }
  const all = [
    ["404", NOT_FOUND],
    ["410", short],
    ["410", short],
  ] as const
  expect(placed(all)).toEqual({ objects: all.map(([, object]) => object), components: {} })
})

test("objects that differ in their description keep it beside the reference", () => {
  const all = ["first", "second", "third", "fourth"].map(
    (description, at) => [`40${at}`, { description, content: content("McpResponse") }] as const,
  )
  const { objects, components } = placed(all)
  expect(Object.keys(components)).toEqual(["McpResponse"])
  expect(objects.map((object) => resolved(object, components))).toEqual(all.map(([, object]) => object))
  expect(JSON.stringify([objects, components]).length).toBeLessThan(JSON.stringify(all).length)
})

test("an object without a description does not get that of another", () => {
  const body = { content: content("AgentArtifactRegistration") }
  const all = [
    ["a", { ...body, description: "first" }],
    ["b", { ...body, description: "second" }],
    ["c", { ...body, description: "third" }],
    ["d", body],
  ] as const
  const { objects, components } = placed(all)
  expect(objects.map((object) => resolved(object, components))).toEqual(all.map(([, object]) => object))
})
