/** The groups of operations in the document. The longest prefix of a path decides. */
interface Tag {
  readonly name: string
  readonly description: string
  readonly prefixes: readonly string[]
}

/** In the order of the document. */
export const TAGS: readonly Tag[] = [
  {
    name: "Discovery",
    description: "Documents that agents read before they call anything",
    prefixes: ["/", "/.well-known/", "/v1/openapi", "/v1/agent/"],
  },
  {
    name: "Agent ID",
    description: "Free identity: proves control of Ed25519 keys and nothing else",
    prefixes: ["/v1/agent-id", "/v1/agent-identities", "/v1/agent-signatures/"],
  },
  {
    name: "Transparency log",
    description: "The public log of key events, registered artifacts and delivered answers",
    prefixes: ["/v1/agent-id/log"],
  },
  {
    name: "Agent mode",
    description: "Free planning: no source is queried, and nothing is charged, decided or delivered",
    prefixes: ["/v1/agent-mode/"],
  },
  {
    name: "US Payment Decision",
    description: "Decides whether a payment to a US supplier may be released; never executes it",
    prefixes: ["/v1/us/decision-gates/"],
  },
  {
    name: "United States",
    description: "The six US products, their stored answers and tokens. Coverage is FEDERAL_ONLY",
    prefixes: ["/v1/us/"],
  },
  {
    name: "United Kingdom",
    description:
      "The two UK products, their stored answers and tokens. Coverage is Companies House registered entities",
    prefixes: ["/v1/gb/"],
  },
  {
    name: "Agent commerce",
    description: "The ACP purchase channel of the Payment Decision",
    prefixes: ["/v1/channels/"],
  },
  { name: "Errors", description: "What each error code means", prefixes: ["/problems/"] },
  { name: "Health", description: "State of the process", prefixes: ["/livez", "/readyz"] },
]

/** Returns the name of the tag. Every path begins with `/`, so there is one. */
export function tagOf(path: string): string {
  let found = { name: "", length: 0 }
  for (const { name, prefixes } of TAGS) {
    for (const prefix of prefixes) {
      if (path.startsWith(prefix) && prefix.length > found.length) found = { name, length: prefix.length }
    }
  }
  return found.name
}
