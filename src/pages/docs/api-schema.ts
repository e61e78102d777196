/** A JSON Schema as rows of a table: one for each member, with its type and limits in words. */
import { type Html, html } from "../html.ts"
import { type ApiSchema, nameOfReference } from "./api-document.ts"

interface MemberRow {
  /** Path from the top of the schema: `supplier.name`, `lines[].amount`. */
  readonly name: string
  readonly isRequired: boolean
  readonly type: Html
  readonly description: string
}

/** Nested schemas without a name are shown in place, at most this deep. */
const DEPTH_MAX = 12
const VALUES_MAX = 40

/** Id of the section of a named schema on its page. */
export function schemaAnchor(name: string): string {
  return `schema-${name}`
}

export function membersOf(schema: ApiSchema, prefix = "", depth = 0): MemberRow[] {
  if (depth > DEPTH_MAX) return []
  const { properties = {}, required = [] } = schema
  const own = Object.entries(properties).flatMap(([name, member]) => [
    row(prefix + name, required.includes(name), member),
    ...nested(member, prefix + name, depth),
  ])
  const parts = alternativesOf(schema).flatMap((part) => membersOf(part, prefix, depth + 1))
  return unique([...own, ...valuesOf(schema, prefix), ...parts])
}

/** The values of a map as one row, named by the pattern of its names. A map of anything has none. */
function valuesOf({ additionalProperties: values, propertyNames }: ApiSchema, prefix: string): MemberRow[] {
  if (typeof values !== "object" || Object.keys(values).length === 0) return []
  return [row(`${prefix}/${propertyNames?.pattern ?? ".*"}/`, false, values)]
}

function row(name: string, isRequired: boolean, schema: ApiSchema): MemberRow {
  return { name, isRequired, type: typeOf(schema), description: schema.description ?? "" }
}

function nested(schema: ApiSchema, name: string, depth: number): MemberRow[] {
  if (schema.$ref !== undefined) return []
  if (schema.items) return nested(schema.items, `${name}[]`, depth)
  return membersOf(schema, `${name}.`, depth + 1)
}

function alternativesOf({ anyOf, oneOf }: ApiSchema): readonly ApiSchema[] {
  return anyOf ?? oneOf ?? []
}

/** Alternatives repeat the members that they share. */
function unique(rows: readonly MemberRow[]): MemberRow[] {
  const seen = new Set<string>()
  return rows.filter(({ name, type }) => {
    const key = `${name} ${type.text}`
    return !seen.has(key) && seen.add(key)
  })
}

/** The type of a value in words, with its limits. A named schema is a link to its section. */
export function typeOf(schema: ApiSchema): Html {
  const { $ref, type, items, enum: values } = schema
  if ($ref !== undefined) {
    const name = nameOfReference($ref)
    return html`<a href="#${schemaAnchor(name)}">${name}</a>`
  }
  if (values !== undefined) return valueList(values)
  const alternatives = alternativesOf(schema)
  if (alternatives.length > 0) return separated(alternatives.map(typeOf), " or ")
  if (items) return html`array of ${typeOf(items)}${limitsOf(schema)}`
  return html`${typeof type === "string" ? type : (type ?? ["any"]).join(" or ")}${limitsOf(schema)}`
}

function valueList(values: readonly unknown[]): Html {
  const shown = values.slice(0, VALUES_MAX).map((value) => html`<code>${JSON.stringify(value)}</code>`)
  const rest = values.length - shown.length
  return html`${separated(shown, ", ")}${rest > 0 ? ` and ${rest} more` : ""}`
}

function separated(parts: readonly Html[], between: string): Html {
  return html`${parts.map((part, at) => (at === 0 ? part : html`${between}${part}`))}`
}

const LIMITS: readonly (readonly [keyword: string, words: string])[] = [
  ["format", "format"],
  ["pattern", "pattern"],
  ["minLength", "at least characters"],
  ["maxLength", "at most characters"],
  ["minimum", "from"],
  ["maximum", "to"],
  ["minItems", "at least items"],
  ["maxItems", "at most items"],
  ["maxProperties", "at most members"],
]

function limitsOf(schema: ApiSchema): Html {
  const found = LIMITS.flatMap(([keyword, words]) => {
    const limit = schema[keyword]
    return limit === undefined ? [] : [html`${words} <code>${String(limit)}</code>`]
  })
  return found.length === 0 ? html`` : html`, ${separated(found, ", ")}`
}

/** Names of the schemas that a schema refers to, itself not included, each once, nearest first. */
export function referencesOf(schema: ApiSchema, find: (name: string) => ApiSchema): readonly string[] {
  const found: string[] = []
  const pending: unknown[] = [schema]
  for (let at = 0; at < pending.length; at++) {
    const value = pending[at]
    if (typeof value !== "object" || value === null) continue
    for (const [member, inner] of Object.entries(value)) {
      if (member === "$ref" && typeof inner === "string") {
        const name = nameOfReference(inner)
        if (found.includes(name)) continue
        found.push(name)
        pending.push(find(name))
      } else pending.push(inner)
    }
  }
  return found
}
