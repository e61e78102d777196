/** The responses of the document. One that means the same on many routes is a component. */
import { documentReplies } from "../../../schemas/discovery/document-replies.ts"
import { type Operation, REFUSED_ALIKE } from "../../../schemas/operation.ts"
import { unpaidReplies } from "../../../schemas/payment-replies.ts"
import { Problem } from "../../../schemas/problem.ts"
import type { ResponseSpec } from "../../../schemas/response.ts"
import type { ComponentSchemas } from "./component-schemas.ts"
import { responseHeaders } from "./header-objects.ts"
import { pascalCase } from "./schema-form.ts"

const SHARED: Readonly<Record<string, ResponseSpec | undefined>> = {
  BodyUnreadable: REFUSED_ALIKE[400],
  BodyTooLarge: REFUSED_ALIKE[413],
  BodyNotJson: REFUSED_ALIKE[415],
  BodyRefused: REFUSED_ALIKE[422],
  TooManyRequests: REFUSED_ALIKE[429],
  DocumentUnchanged: documentReplies[304],
  DocumentExpired: documentReplies[503],
  PaymentPending: unpaidReplies[202],
  PaymentQuoted: unpaidReplies[402],
}
const SHARED_NAMES = new Map(Object.entries(SHARED).map(([name, spec]) => [spec, name]))

const PROBLEM_TYPE = "application/problem+json"
/** Statuses of refusals by the socket, which knows no route and so writes a problem document for every operation. */
const BEFORE_ROUTES = ["400", "503"]

export class Responses {
  readonly #components: Record<string, object>

  constructor(private readonly schemas: ComponentSchemas) {
    const content = { [PROBLEM_TYPE]: { schema: schemas.replyBody(Problem, "Problem") } }
    this.#components = { Refused: { description: "Any other refusal; `code` names it", content } }
  }

  /** Returns the responses of an operation by status, and the one of every refusal that it does not name. */
  of(operation: Operation): Readonly<Record<string, object>> {
    const named = Object.entries(operation.responses).map(([status, spec]) => {
      const shared = SHARED_NAMES.get(spec)
      if (shared === undefined) return [status, this.#response(operation, status, spec)] as const
      this.#components[shared] ??= this.#response(operation, status, spec)
      return [status, referenceTo(shared)] as const
    })
    return { ...Object.fromEntries(named), default: referenceTo("Refused") }
  }

  /** Returns the shared responses that were used so far. */
  components(): Readonly<Record<string, object>> {
    return this.#components
  }

  #response(operation: Operation, status: string, spec: ResponseSpec): object {
    const headers = responseHeaders(operation, Number(status))
    const name = `${pascalCase(operation.id)}Reply`
    const content = this.#content(spec, name)
    if (content && BEFORE_ROUTES.includes(status)) {
      content[PROBLEM_TYPE] ??= { schema: this.schemas.replyBody(Problem, "Problem") }
    }
    return {
      description: spec.description,
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(content && { content }),
    }
  }

  #content({ schema, mediaType, otherMediaTypes = [] }: ResponseSpec, name: string): Record<string, object> | null {
    if (schema === undefined && mediaType === undefined) return null
    const others = otherMediaTypes.map((type) => [type, { schema: { type: "string" } }])
    return { [mediaType ?? "application/json"]: this.#media(schema, mediaType, name), ...Object.fromEntries(others) }
  }

  #media(schema: ResponseSpec["schema"], mediaType: string | undefined, name: string): object {
    if (mediaType === "application/octet-stream") return { schema: {} }
    if (schema === undefined || schema["type"] === "string") return { schema: { type: "string" } }
    return { schema: this.schemas.replyBody(schema, name) }
  }
}

function referenceTo(name: string): object {
  return { $ref: `#/components/responses/${name}` }
}
