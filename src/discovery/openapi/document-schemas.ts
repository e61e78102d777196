/** The schemas of all requests and replies of the document, with the parts that they share. */
import type { TSchema } from "@sinclair/typebox"
import type { Operation } from "../../../schemas/operation.ts"
import { Problem } from "../../../schemas/problem.ts"
import { PaymentPayload, PaymentRequired, SettleResponse } from "../../../schemas/x402.ts"
import { type PlainSchema, schemaNumber } from "../plain-schema.ts"
import { SchemaComponents } from "../schema-printer.ts"
import { KNOWN_PARTS } from "./known-parts.ts"
import { printedForms } from "./printed-forms.ts"
import { REPLY_MEMBERS, REQUEST_MEMBERS } from "./shared-members.ts"

/** The schemas of header values that are base64 of JSON. */
const HEADER_REQUESTS = [PaymentPayload]
const HEADER_REPLIES = [PaymentRequired, SettleResponse]
const LEAVES = ["string", "integer", "number"]

export class DocumentSchemas {
  readonly #components: SchemaComponents
  readonly #forms: ReturnType<typeof printedForms>

  /** Counts every schema, so that shared parts are known before the first is printed. */
  constructor(operations: readonly Operation[]) {
    const requests = operations.flatMap(({ id, body, parameters = {} }) => [
      ...(body ? [[`${id}Request`, body] as const] : []),
      ...Object.entries(parameters).map(([name, schema]) => [id + name, schema] as const),
    ])
    const known = new Set(Object.values(KNOWN_PARTS).map(schemaNumber))
    const { request, reply } = printedForms(
      [...HEADER_REQUESTS, ...requests.map(([, schema]) => schema)],
      (schema) => !LEAVES.includes(String(schema["type"])) || known.has(schemaNumber(schema)),
    )
    const replied = (schemas: Readonly<Record<string, TSchema>>) =>
      Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, reply(schema)]))
    this.#forms = { request, reply }
    const drafts = operations.flatMap(({ body }) => (body?.$id && isDraft(body) ? [[body.$id, body] as const] : []))
    const members = { ...REQUEST_MEMBERS, ...replied(REPLY_MEMBERS), ...Object.fromEntries(drafts) }
    this.#components = new SchemaComponents(replied(KNOWN_PARTS), members)
    this.#components.add(reply(Problem), "Problem")
    for (const schema of HEADER_REQUESTS) this.#components.add(request(schema), "Header")
    for (const schema of HEADER_REPLIES) this.#components.add(reply(schema), "Header")
    for (const [name, schema] of requests) this.#components.add(request(schema), name)
    for (const { id, responses } of operations) {
      for (const { schema } of Object.values(responses)) {
        if (schema) this.#components.add(reply(schema), `${id}Response`)
      }
    }
  }

  request(schema: TSchema): PlainSchema {
    return this.#components.print(this.#forms.request(schema))
  }

  reply(schema: TSchema): PlainSchema {
    return this.#components.print(this.#forms.reply(schema))
  }

  /** See {@link SchemaComponents.derivedNames}. */
  derivedNames(): ReadonlySet<string> {
    return this.#components.derivedNames()
  }

  /** Returns the named parts that were printed so far, ordered by name. */
  components(): Readonly<Record<string, PlainSchema>> {
    return this.#components.components()
  }
}

/** True for a body of which every member may be absent: the complete body has the same members and requires some. */
function isDraft({ properties, required }: TSchema): boolean {
  return properties !== undefined && required === undefined
}
