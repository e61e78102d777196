/**
 * CHOICE: the document closes the schemas of requests and not those of replies. The service rejects an unknown member of a request, and its
 * next version may add a member to a reply, which a generated client of today has to accept.
 */
type Schemas = Readonly<Record<string, object>>

/** Returns the components, with those open that no part of `requests` refers to, directly or through another component. */
export function openReplies(components: Schemas, requests: readonly unknown[]): Schemas {
  const closed = new Set<string>()
  const follow = (value: unknown): void => {
    for (const name of namesIn(value)) {
      if (closed.has(name)) continue
      closed.add(name)
      follow(components[name])
    }
  }
  follow(requests)
  return Object.fromEntries(
    Object.entries(components).map(([name, schema]) => [name, closed.has(name) ? schema : opened(schema)]),
  )
}

function namesIn(value: unknown): string[] {
  return [...JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = ""]) => name)
}

const CLOSING = ["additionalProperties", "unevaluatedProperties"]

/** A member of a reply that has the name of a keyword keeps its schema: only the value `false` closes an object. */
function opened(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).filter(([name, one]) => !(CLOSING.includes(name) && one === false)))
  }) as object
}
