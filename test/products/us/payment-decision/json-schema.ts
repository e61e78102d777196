/** A minimal JSON Schema 2020-12 validator, written from the specification without a library, to read the schema as an outsider would. */
type Schema = Readonly<Record<string, unknown>>

export function accepts(schema: unknown, value: unknown): boolean {
  const rules = schema as Schema
  return Object.entries(rules).every(([keyword, rule]) => {
    const holds = ASSERTIONS[keyword]
    return holds === undefined || holds(rule, value, rules)
  })
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const length = (text: string) => [...text].length

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === "string",
  integer: (value) => Number.isInteger(value),
  null: (value) => value === null,
}

const ASSERTIONS: Readonly<Record<string, (rule: unknown, value: unknown, schema: Schema) => boolean>> = {
  type: (rule, value) => TYPES[rule as string]?.(value) ?? false,
  const: (rule, value) => rule === value,
  anyOf: (rule, value) => (rule as unknown[]).some((one) => accepts(one, value)),
  pattern: (rule, value) => typeof value !== "string" || new RegExp(rule as string, "u").test(value),
  minLength: (rule, value) => typeof value !== "string" || length(value) >= (rule as number),
  maxLength: (rule, value) => typeof value !== "string" || length(value) <= (rule as number),
  minimum: (rule, value) => typeof value !== "number" || value >= (rule as number),
  maximum: (rule, value) => typeof value !== "number" || value <= (rule as number),
  items: (rule, value) => !Array.isArray(value) || value.every((one) => accepts(rule, one)),
  maxItems: (rule, value) => !Array.isArray(value) || value.length <= (rule as number),
  maxProperties: (rule, value) => !isObject(value) || Object.keys(value).length <= (rule as number),
  required: (rule, value) => !isObject(value) || (rule as string[]).every((name) => Object.hasOwn(value, name)),
  properties: (rule, value) =>
    !isObject(value) ||
    Object.entries(rule as Schema).every(([name, one]) => !Object.hasOwn(value, name) || accepts(one, value[name])),
  propertyNames: (rule, value) => !isObject(value) || Object.keys(value).every((name) => accepts(rule, name)),
  additionalProperties: (rule, value, schema) =>
    !isObject(value) ||
    Object.entries(value).every(
      ([name, member]) =>
        Object.hasOwn((schema["properties"] ?? {}) as Schema, name) || (rule !== false && accepts(rule, member)),
    ),
}

/** Every keyword that occurs in the schema. */
export function keywordsOf(schema: unknown, found = new Set<string>()): Set<string> {
  for (const [keyword, rule] of Object.entries(schema as Schema)) {
    found.add(keyword)
    const many =
      keyword === "properties" ? Object.values(rule as Schema) : keyword === "anyOf" ? (rule as unknown[]) : []
    const single = ["items", "propertyNames", "additionalProperties"].includes(keyword) && rule !== false
    for (const one of single ? [rule] : many) keywordsOf(one, found)
  }
  return found
}
