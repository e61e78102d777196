/**
 * The schemas of the document. A schema with a name is a component and every use refers to it; every other schema stands where it is used.
 *
 * CHOICE: requests are described exactly, and replies are open: the service rejects an unknown member of a request, and its next version may
 * add a member to a reply, which a generated client of today has to accept. A component that a request uses is closed in replies too. A
 * document that a request passes on as it was received has the schema of the reply.
 */
import type { TSchema } from "@sinclair/typebox"
import { RECEIVED_AS } from "../../../schemas/agent-mode/wallet-artifact.ts"
import { NEVER_REQUESTED } from "../../../schemas/hints.ts"
import { eachPart, type JsonObject, jsonOf, mapParts, type PlainSchema } from "../plain-schema.ts"
import { componentName } from "./component-names.ts"
import { type Discriminator, discriminatorOf, textsIn } from "./discriminator.ts"
import { generatorForm, orNull, pascalCase, textList } from "./schema-form.ts"

/**
 * Reserved words of TypeScript. Generators name the type of listed texts like their member, so under such a name a single text is a component
 * too, which has a longer name.
 */
const RESERVED: ReadonlySet<string> = new Set(
  (
    "break case catch class const continue debugger default delete do else enum export extends false finally for function if import in " +
    "instanceof new null return super switch this throw true try typeof var void while with"
  ).split(" "),
)

/** Where a schema stands. */
interface Place {
  /** Unique in the document: the component and the members on the way from it. A part that needs a name gets this one. */
  readonly name: string
  readonly isReply: boolean
}

export class ComponentSchemas {
  readonly #components = new Map<string, PlainSchema>()
  /** The text of the schema of each component. */
  readonly #texts = new Map<string, string>()
  readonly #requested: ReadonlySet<string>

  /** `requests`: every schema of a request. */
  constructor(requests: readonly TSchema[]) {
    this.#requested = namesIn(requests)
  }

  /** Returns the schema of a part of a request. `name`: unique in the document. */
  request(schema: TSchema, name: string): PlainSchema {
    return this.#print(jsonOf(schema), { name, isReply: false })
  }

  reply(schema: TSchema, name: string): PlainSchema {
    return this.#print(jsonOf(schema), { name, isReply: true })
  }

  /** Returns a reference to the schema of a whole body. `name`: its name if it has none of its own. */
  requestBody(schema: TSchema, name: string): PlainSchema {
    return this.#component(jsonOf(schema), { name: componentName(schema) ?? name, isReply: false })
  }

  replyBody(schema: TSchema, name: string): PlainSchema {
    return this.#component(jsonOf(schema), { name: componentName(schema) ?? name, isReply: true })
  }

  /** Returns the components that were printed so far, ordered by name. */
  components(): Readonly<Record<string, PlainSchema>> {
    return Object.fromEntries([...this.#components].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  #print(schema: JsonObject, place: Place): PlainSchema {
    const name = componentName(schema) ?? (isList(schema) ? place.name : undefined)
    return name === undefined ? this.#form(schema, place) : this.#component(schema, { ...place, name })
  }

  #component(schema: JsonObject, { name, isReply }: Place): PlainSchema {
    const text = JSON.stringify(schema)
    const known = this.#texts.get(name)
    if (known !== undefined && known !== text) throw new Error(`two different schemas have the name ${name}`)
    if (known === undefined) {
      this.#texts.set(name, text)
      this.#components.set(name, this.#form(schema, { name, isReply: isReply && !this.#requested.has(name) }))
    }
    return { $ref: referenceTo(name) }
  }

  #form(schema: JsonObject, place: Place): PlainSchema {
    const { [RECEIVED_AS]: received } = schema as { readonly [RECEIVED_AS]?: TSchema }
    if (received && !place.isReply) return this.reply(received, place.name)
    if (Array.isArray(schema["anyOf"])) return this.#union(schema, place)
    const printed = mapParts(schema, (part, member = "") => {
      const inner = { ...place, name: place.name + pascalCase(member) }
      return RESERVED.has(member) && textsIn(part) ? this.#component(part, inner) : this.#print(part, inner)
    })
    return generatorForm(printed, place.isReply)
  }

  #union(schema: JsonObject, place: Place): PlainSchema {
    const all = (schema["anyOf"] as readonly JsonObject[]).filter((one) => !(NEVER_REQUESTED in one))
    // Without TypeBox's symbols, which a spread would copy.
    const outer = Object.fromEntries(Object.entries(schema).filter(([name]) => name !== "anyOf" && name !== "$id"))
    const variants = all.filter(({ type }) => type !== "null")
    const printed = { ...this.#alternatives(variants, place), ...outer }
    return variants.length === all.length ? printed : orNull(printed)
  }

  #alternatives(variants: readonly JsonObject[], place: Place): PlainSchema {
    const [first, ...more] = variants
    if (first && more.length === 0) return this.#print(first, place)
    const texts = textsIn({ anyOf: variants })
    if (texts) return textList(texts, place.name)
    const discriminator = discriminatorOf(variants)
    return discriminator
      ? this.#discriminated(discriminator, place)
      : { anyOf: variants.map((one) => this.#print(one, place)) }
  }

  /** Every variant is a component, because a discriminator names components. */
  #discriminated({ propertyName, variants }: Discriminator, { name, isReply }: Place): PlainSchema {
    const printed = variants.map(({ schema, values }) => {
      const own = componentName(schema) ?? pascalCase(name) + pascalCase(values[0])
      return { values, ...(this.#component(schema, { name: own, isReply }) as { readonly $ref: string }) }
    })
    const mapping = printed.flatMap(({ values, $ref }) => values.map((value) => [value, $ref] as const))
    return {
      oneOf: printed.map(({ $ref }) => ({ $ref })),
      discriminator: { propertyName, mapping: Object.fromEntries(mapping) },
    }
  }
}

/** True for several texts. They are a component, because a generator names the values of such a part like its member alone. */
function isList(schema: JsonObject): boolean {
  return (textsIn(schema)?.length ?? 0) > 1
}

function referenceTo(name: string): string {
  return `#/components/schemas/${name}`
}

/** Names of the components that requests use, without those of documents that a request passes on. */
function namesIn(requests: readonly TSchema[]): ReadonlySet<string> {
  const names = new Set<string>()
  const seen = new Set<JsonObject>()
  const collect = (schema: JsonObject): void => {
    if (seen.has(schema) || RECEIVED_AS in schema) return
    seen.add(schema)
    const name = componentName(schema)
    if (name !== undefined) names.add(name)
    eachPart(schema, collect)
  }
  for (const schema of requests) collect(jsonOf(schema))
  return names
}
