/** Walks an OpenAPI document for constructs on which client generators stop, or which they leave out of the types that they make. */
type Json = null | boolean | number | string | readonly Json[] | JsonObject
interface JsonObject {
  readonly [member: string]: Json
}

/** Keywords whose value is one schema, and keywords whose value is a list of schemas. */
const ONE = ["items", "propertyNames", "unevaluatedProperties", "unevaluatedItems", "contentSchema"]
const LIST = ["anyOf", "oneOf", "prefixItems"]
/** Keywords that at least one generator stops on or ignores. */
const UNREAD = ["const", "patternProperties", "not", "allOf", "if", "then", "else", "contains", "$defs", "$id"]
/** Generators name the type of listed values like their member. */
const RESERVED =
  /^(case|class|const|default|delete|do|else|enum|export|for|function|if|import|in|new|null|return|switch|this|try|typeof|var|void|while|with)$/
const COMPONENT = /^#\/components\/schemas\/[^/]+$/

/** Returns one line for each finding: what it is, and the JSON pointer of its place. */
export function findForbidden(document: object): readonly string[] {
  return new Walk(document as JsonObject).findings()
}

class Walk {
  readonly #found: string[] = []
  readonly #valueNames = new Set<string>()
  readonly #schemas: JsonObject

  constructor(private readonly document: JsonObject) {
    this.#schemas = membersOf(membersOf(document["components"])["schemas"])
  }

  findings(): readonly string[] {
    this.#visit(this.document, "#")
    for (const [name, schema] of Object.entries(this.#schemas)) {
      const at = `#/components/schemas/${name}`
      this.#schema(schema, at)
      if (/(?<![0-9])[0-9]{1,2}$|Members$/.test(name)) this.#add("a numbered name or one of parts", at)
      if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) this.#add("a name that is not in Pascal case", at)
      if (/(Response|Params|JSONBody|JSONRequestBody)$|^(Date|Time|DateTime|Duration)$/.test(name))
        this.#add("a name that generators make", at)
      if ("$ref" in membersOf(schema)) this.#add("a reference to a reference", at)
    }
    return this.#found
  }

  #add(fault: string, at: string): void {
    this.#found.push(`${fault} at ${at}`)
  }

  /** Finds the schemas in the objects of OpenAPI. An example is a value, in which the names of keywords mean nothing. */
  #visit(value: Json | undefined, at: string): void {
    for (const [i, one] of listOf(value).entries()) this.#visit(one, `${at}/${i}`)
    for (const [member, inner] of Object.entries(membersOf(value))) {
      const place = `${at}/${member.replaceAll("~", "~0").replaceAll("/", "~1")}`
      if (/^[1-5]XX$/i.test(member) && at.endsWith("/responses")) this.#add("a range of statuses", place)
      if (member === "schema") this.#schema(inner, place)
      else if (member !== "schemas" && member !== "example" && !member.startsWith("x-")) this.#visit(inner, place)
    }
  }

  #schema(schema: Json | undefined, at: string): void {
    if (typeof schema === "boolean") this.#add("a boolean schema", at)
    if (!isObject(schema)) return
    if ("$ref" in schema && Object.keys(schema).length > 1) this.#add("a reference with other members", at)
    for (const keyword of UNREAD) if (keyword in schema) this.#add(`the keyword ${keyword}`, at)
    this.#type(schema, at)
    this.#values(schema, at)
    this.#alternatives(schema, at)
    this.#parts(schema, at)
  }

  #parts(schema: JsonObject, at: string): void {
    for (const keyword of ONE) this.#schema(schema[keyword], `${at}/${keyword}`)
    for (const keyword of LIST) {
      for (const [i, part] of listOf(schema[keyword]).entries()) this.#schema(part, `${at}/${keyword}/${i}`)
    }
    for (const [name, part] of Object.entries(membersOf(schema["properties"]))) {
      this.#schema(part, `${at}/properties/${name}`)
      if (RESERVED.test(name) && "enum" in membersOf(part)) {
        this.#add("listed values under a reserved word", `${at}/properties/${name}`)
      }
    }
    // `false` closes an object. It is the one boolean that every generator reads.
    const { additionalProperties: others } = schema
    if (others === true) this.#add("additionalProperties: true", at)
    else if (others !== false) this.#schema(others, `${at}/additionalProperties`)
    if ("enum" in membersOf(others)) this.#add("listed values of a map without a name", at)
  }

  #type({ type, items, prefixItems, minItems, maxItems, anyOf }: JsonObject, at: string): void {
    const types = [type ?? []].flat()
    const variants = listOf(anyOf)
    const isAlternative = /\/anyOf\/\d+$/.test(at)
    if (types.length > 0 && types.every((one) => one === "null") && !isAlternative) this.#add("only null", at)
    if (variants.length > 0 && variants.every((one) => membersOf(one)["type"] === "null")) this.#add("only null", at)
    const length = listOf(prefixItems).length
    if (length > 0 && (minItems !== length || maxItems !== length)) this.#add("a tuple that is not closed", at)
    if (length === 0 && types.includes("array") && items === undefined) {
      this.#add("a list without a type of its items", at)
    }
  }

  #values({ type, enum: values, "x-enum-varnames": names }: JsonObject, at: string): void {
    if (values === undefined) return
    const one = type === "integer" ? "number" : type
    if (!listOf(values).every((value) => typeof value === one)) this.#add("listed values without one type", at)
    if (type === "boolean") this.#add("listed truth values", at)
    const count = listOf(values).length
    const named = listOf(names).map(String)
    if (count > 1 && named.length !== count) this.#add("listed values without a name for each", at)
    // A generator names the constant of a nested list like its member alone, and exports one such name from many files.
    if (count > 1 && !COMPONENT.test(at)) this.#add("listed values without a component", at)
    for (const name of named) {
      if (this.#valueNames.has(name)) this.#add("a name that another value has", at)
      this.#valueNames.add(name)
    }
  }

  #alternatives({ anyOf, oneOf, discriminator }: JsonObject, at: string): void {
    const isInline = (one: Json) => [membersOf(one)["type"] ?? []].flat().includes("object")
    if ([...listOf(anyOf), ...listOf(oneOf)].some(isInline)) this.#add("an object alternative without a name", at)
    if (this.#hasDiscriminator(listOf(anyOf))) this.#add("a discriminator that is not stated", at)
    if (oneOf === undefined) return
    const { propertyName, mapping } = membersOf(discriminator)
    if (typeof propertyName !== "string") {
      this.#add("alternatives without a discriminator", at)
      return
    }
    const mapped = Object.entries(membersOf(mapping))
    const isMapped = listOf(oneOf).every((one) => mapped.some(([, name]) => name === membersOf(one)["$ref"]))
    const isRight = mapped.every(([value, name]) => this.#requiredValues(name, propertyName).includes(value))
    if (!isMapped || !isRight) this.#add("a discriminator that a variant lacks", at)
  }

  /** True if a member that all the components require has values of its own in each. */
  #hasDiscriminator(variants: readonly Json[]): boolean {
    const references = variants.flatMap((one) => membersOf(one)["$ref"] ?? [])
    const [first] = references
    if (first === undefined || references.length < 2) return false
    const { properties } = membersOf(this.#schemas[nameOf(first)])
    return Object.keys(membersOf(properties)).some((member) => {
      const lists = references.map((reference) => this.#requiredValues(reference, member))
      const values = lists.flat()
      return lists.every((list) => list.length > 0) && new Set(values).size === values.length
    })
  }

  /** The values that a required member of a component may have. `reference`: the component. */
  #requiredValues(reference: Json, member: string): readonly Json[] {
    const schema = membersOf(this.#schemas[nameOf(reference)])
    const isRequired = listOf(schema["required"]).includes(member)
    const values = membersOf(membersOf(schema["properties"])[member])
    const { enum: listed } = "$ref" in values ? membersOf(this.#schemas[nameOf(values["$ref"])]) : values
    return isRequired ? listOf(listed) : []
  }
}

/** The name of a component in a reference. */
function nameOf(reference: Json): string {
  return String(reference).slice("#/components/schemas/".length)
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function membersOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}
