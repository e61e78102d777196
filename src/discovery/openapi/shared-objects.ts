/**
 * Objects that several operations have: responses, request bodies and path parameters. Each is printed once if the references to it are
 * shorter. Names are short, because the document repeats them hundreds of times.
 */
interface Printed {
  readonly description?: string
  readonly $ref?: string
}

export interface SharedObjects<T extends Printed> {
  /** Returns the object itself, or a reference to the shared one. */
  place(name: string, object: T): T | { readonly $ref: string }
  readonly components: Readonly<Record<string, T>>
}

/** A component costs its name and punctuation in addition to its references. */
const COMPONENT_CHARACTERS = 6

/**
 * `kind`: the map of components. `all`: every object of the document, with the name that its component gets; a number follows if another
 * object has that name. Objects that differ only in their description share a component too.
 */
export function sharedObjects<T extends Printed>(
  kind: "parameters" | "requestBodies" | "responses",
  all: readonly (readonly [name: string, object: T])[],
): SharedObjects<T> {
  const components: Record<string, T> = {}
  const equal = new Sharing<T>(
    kind,
    components,
    (object) => object,
    (name) => name,
  )
  for (const [name, object] of all) equal.count(name, object)
  const alike = new Sharing<T>(kind, components, undescribed, () => "")
  const canBeAlike = (name: string, object: T) =>
    object.description !== undefined && !("$ref" in object) && !equal.isShorter(name, object)
  for (const [name, object] of all) if (canBeAlike(name, object)) alike.count(name, object)
  return {
    place(name, object) {
      if ("$ref" in object && object.description === undefined) return object
      if (equal.isShorter(name, object)) return equal.refer(name, object)
      if (!canBeAlike(name, object) || !alike.isShorter(name, object)) return object
      // The description beside a reference replaces the one of the component (OpenAPI 3.1, "Reference Object").
      return { ...alike.refer(contentName(object) ?? name, object), description: object.description }
    },
    components,
  }
}

class Sharing<T extends Printed> {
  /** Texts of the parts. */
  readonly #texts = new Map<T, string>()
  readonly #uses = new Map<string, number>()
  readonly #names = new Map<string, string>()

  constructor(
    private readonly kind: string,
    private readonly components: Record<string, T>,
    /** The part of an object that a reference replaces. */
    private readonly part: (object: T) => object,
    /** Objects with different names here have no component in common. */
    private readonly group: (name: string) => string,
  ) {}

  private key(name: string, object: T): string {
    return `${this.group(name)} ${this.text(object)}`
  }

  private text(object: T): string {
    let text = this.#texts.get(object)
    if (text === undefined) {
      text = JSON.stringify(this.part(object))
      this.#texts.set(object, text)
    }
    return text
  }

  count(name: string, object: T): void {
    const key = this.key(name, object)
    this.#uses.set(key, (this.#uses.get(key) ?? 0) + 1)
  }

  isShorter(name: string, object: T): boolean {
    const uses = this.#uses.get(this.key(name, object)) ?? 0
    const own = JSON.stringify(object).length
    const repeated = this.text(object).length
    const component = own + name.length + COMPONENT_CHARACTERS
    return component + uses * JSON.stringify(this.reference(name)).length < uses * repeated
  }

  refer(wanted: string, object: T): { readonly $ref: string } {
    const key = this.key(wanted, object)
    let name = this.#names.get(key)
    if (name === undefined) {
      name = wanted
      for (let serial = 2; name in this.components; serial++) name = `${wanted}_${serial}`
      this.#names.set(key, name)
      this.components[name] = object
    }
    return this.reference(name)
  }

  private reference(name: string): { readonly $ref: string } {
    return { $ref: `#/components/${this.kind}/${name}` }
  }
}

/** Name of the schema of a JSON response: it fits every status. */
function contentName(object: object): string | null {
  const [, name] = /#\/components\/schemas\/(\w+)/.exec(JSON.stringify(object)) ?? []
  return name ?? null
}

function undescribed({ description: _, ...others }: Printed): object {
  return others
}
