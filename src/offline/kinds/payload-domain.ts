/** The first member of a signed payload names what is signed. */
import { type JsonValue, memberOf } from "../../core/strict-json.ts"

export function domainOf(document: JsonValue | undefined): JsonValue | undefined {
  return memberOf(memberOf(document, "payload"), "domain")
}

/** Returns a test for documents with a payload of one of the schemas. It reads only the domain. */
export function hasDomain(
  ...payloads: readonly { readonly properties: { readonly domain: { readonly const: string } } }[]
) {
  const domains: readonly unknown[] = payloads.map(({ properties }) => properties.domain.const)
  return (document: JsonValue | undefined) => domains.includes(domainOf(document))
}
