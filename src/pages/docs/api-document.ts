/** The parts of the OpenAPI document that the API reference shows, as JSON gives them. */

export interface ApiSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, ApiSchema>>
  readonly required?: readonly string[]
  readonly items?: ApiSchema
  readonly additionalProperties?: boolean | ApiSchema
  readonly propertyNames?: ApiSchema
  readonly pattern?: string
  readonly anyOf?: readonly ApiSchema[]
  readonly oneOf?: readonly ApiSchema[]
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly [limit: string]: unknown
}

interface ApiParameter {
  readonly $ref?: string
  readonly name?: string
  readonly in?: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: ApiSchema
}

export type ApiContent = Readonly<Record<string, { readonly schema?: ApiSchema }>>

interface ApiBody {
  readonly content?: ApiContent
  readonly "x-body-bytes-max"?: number
}

interface ApiResponse {
  readonly $ref?: string
  readonly description?: string
  readonly content?: ApiContent
  readonly headers?: Readonly<Record<string, unknown>>
}

interface ApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly tags?: readonly string[]
  readonly parameters?: readonly ApiParameter[]
  readonly requestBody?: ApiBody
  readonly responses: Readonly<Record<string, ApiResponse>>
  readonly [extension: string]: unknown
}

interface ApiText {
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, ApiSchema>>
    readonly parameters?: Readonly<Record<string, ApiParameter>>
    readonly responses?: Readonly<Record<string, ApiResponse>>
  }
}

export interface ApiRoute {
  readonly method: string
  readonly path: string
  readonly operation: ApiOperation
}

/** The document, with its references resolved on demand. */
export class ApiDocument {
  readonly routes: readonly ApiRoute[]

  /** `text`: the OpenAPI document as served. */
  constructor(private readonly text: ApiText) {
    this.routes = Object.entries(text.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    )
  }

  /** Groups of routes, in the order of the document. */
  get groups(): readonly { readonly name: string; readonly description: string }[] {
    return (this.text.tags ?? []).map(({ name, description = "" }) => ({ name, description }))
  }

  find(operationId: string): ApiRoute | undefined {
    return this.routes.find(({ operation }) => operation.operationId === operationId)
  }

  /** Throws for a name that the document does not have, which is a bug of its printer. */
  schema(name: string): ApiSchema {
    return required(this.text.components.schemas[name], name)
  }

  parameter(given: ApiParameter): ApiParameter {
    return resolved(given, this.text.components.parameters)
  }

  response(given: ApiResponse): ApiResponse {
    return resolved(given, this.text.components.responses)
  }
}

/** Last part of a reference: `#/components/schemas/NAME`. */
export function nameOfReference(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1)
}

function resolved<T extends { readonly $ref?: string }>(given: T, components: Readonly<Record<string, T>> = {}): T {
  return given.$ref === undefined ? given : required(components[nameOfReference(given.$ref)], given.$ref)
}

function required<T>(found: T | undefined, name: string): T {
  if (found === undefined) throw new TypeError(`the OpenAPI document has no component ${name}`)
  return found
}
