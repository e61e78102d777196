/** One row of the operation table as an OpenAPI Operation Object. */
import { OPENAPI_EXAMPLES_PATH } from "../../../schemas/discovery/openapi.ts"
import { type Operation, REFUSED_ALIKE } from "../../../schemas/operation.ts"
import { Problem } from "../../../schemas/problem.ts"
import type { ResponseSpec } from "../../../schemas/response.ts"
import { pathTemplate } from "../../core/discovery/path-template.ts"
import { amountMillionths } from "../../core/money.ts"
import { USDC_BASE } from "../../payments/usdc.ts"
import type { DocumentSchemas } from "./document-schemas.ts"
import { PROBLEM_HEADERS, responseHeaders } from "./header-objects.ts"
import { tagOf } from "./tags.ts"

/** What the printer of one operation needs of the whole document. */
export interface Surroundings {
  readonly schemas: DocumentSchemas
  /** Paths of all operations of the document. */
  readonly paths: ReadonlySet<string>
}

/** Version of the request and response formats (Interface, "Versioning"). Only the agent-mode routes repeat it. */
export const CONTRACT_VERSION = "1.0.0"

/** Lifecycle of every operation that does not state another. Only the agent-mode routes repeat it. */
export const LIFECYCLE = "ACTIVE"

/** Place of the example body of every operation that does not state another. */
export const EXAMPLE_OF_ALL = `${OPENAPI_EXAMPLES_PATH}#/{operationId}`

export function operationObject(operation: Operation, { schemas, paths }: Surroundings): object {
  const parameters = [...pathParameters(operation, schemas), ...headerParameters(operation)]
  return {
    tags: [tagOf(operation.path)],
    operationId: operation.id,
    summary: operation.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && { requestBody: requestBody(operation, schemas, paths) }),
    responses: responseObjects(operation, schemas),
    ...(operation.authentication === "X402" && { security: [] }),
    ...(operation.authentication === "AGENT_ED25519" && { security: [{ agentEd25519: [] }] }),
    ...extensions(operation),
  }
}

function pathParameters({ path, parameters = {} }: Operation, schemas: DocumentSchemas): object[] {
  return [...pathTemplate(path).matchAll(/\{([A-Za-z]+)\}/g)].map(([, name = ""]) => {
    const schema = parameters[name]
    return {
      name,
      in: "path",
      required: true,
      ...(path.endsWith("*") && name === "rest" && { description: "The rest of the path, with its slashes" }),
      schema: schema ? schemas.request(schema) : { type: "string", minLength: 1 },
    }
  })
}

function headerParameters({ authentication, product }: Operation): object[] {
  const names = [
    ...(authentication === "X402" ? ["PaymentSignature"] : []),
    ...(authentication === "X402" && product?.jurisdiction === "GB" ? ["IdempotencyKey", "RequestBodyDigest"] : []),
  ]
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}

function requestBody(operation: Operation, schemas: DocumentSchemas, paths: ReadonlySet<string>): object {
  const example = exampleOf(operation, paths)
  return {
    required: true,
    ...(operation.bodyBytesMax !== undefined && { "x-body-bytes-max": operation.bodyBytesMax }),
    content: { "application/json": { ...(operation.body && { schema: schemas.request(operation.body) }) } },
    // Not `externalValue`: some tools fetch it, and fail without a network.
    ...(example !== EXAMPLE_OF_ALL && { "x-example": example }),
  }
}

/**
 * Where a complete body is served: a path with a JSON pointer (RFC 6901) as its fragment. Null if no route serves one.
 * CHOICE: the document states the place that most operations have once, as a template.
 */
function exampleOf({ path, exampleBody }: Operation, paths: ReadonlySet<string>): string | null {
  if (exampleBody) return EXAMPLE_OF_ALL
  const own = `${path}/example`
  return paths.has(own) ? `${own}#/example` : null
}

/**
 * CHOICE: the refusals that mean the same on every route, of a body that cannot be read and of too many requests, are described once, in
 * the range `4XX` that every operation has. An operation names such a status itself if it means more there.
 */
const PROBLEM_TYPE = "application/problem+json"
/** Statuses of refusals by the socket, which knows no route and so writes a problem document for every operation. */
const BEFORE_ROUTES = [400, 503]

function responseObjects(operation: Operation, schemas: DocumentSchemas): object {
  const named = Object.entries(operation.responses)
    .filter(([status, spec]) => spec !== REFUSED_ALIKE[Number(status)])
    .map(([status, spec]) => [
      status,
      responseObject(spec, responseHeaders(operation, Number(status)), schemas, BEFORE_ROUTES.includes(Number(status))),
    ])
  const others = { $ref: "#/components/responses/4XX" }
  // Every operation has to name a response of success, or all responses.
  const isSuccessNamed = Object.keys(operation.responses).some((status) => status.startsWith("2"))
  return { ...Object.fromEntries(named), "4XX": others, ...(!isSuccessNamed && { default: others }) }
}

function responseObject(
  spec: ResponseSpec,
  headers: object,
  schemas: DocumentSchemas,
  isBeforeRoutes: boolean,
): object {
  // The description beside a reference replaces the one of the component (OpenAPI 3.1, "Reference Object").
  if (spec.schema === Problem && spec.otherMediaTypes === undefined) {
    return { $ref: `#/components/responses/${problemName(headers)}`, description: spec.description }
  }
  const { content } = contentOf(spec, schemas)
  return {
    description: spec.description,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(content && {
      content: isBeforeRoutes ? { ...content, [PROBLEM_TYPE]: { schema: schemas.reply(Problem) } } : content,
    }),
  }
}

/** Names of the shared refusals by their header fields. */
const PROBLEM_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(PROBLEM_HEADERS).map(([name, headers]) => [Object.keys(headers).join(), name]),
)

/** Name of the shared refusal that has exactly these header fields. */
function problemName(headers: object): string {
  const fields = Object.keys(headers).join()
  const name = PROBLEM_NAMES.get(fields)
  if (name === undefined) throw new TypeError(`no shared refusal has the header fields ${fields}`)
  return name
}

function contentOf(
  { schema, mediaType, otherMediaTypes = [] }: ResponseSpec,
  schemas: DocumentSchemas,
): { readonly content?: Readonly<Record<string, object>> } {
  if (schema === undefined && mediaType === undefined) return {}
  const own = schema ? schemas.reply(schema) : mediaType === "application/octet-stream" ? {} : { type: "string" }
  const others = otherMediaTypes.map((type) => [type, { schema: { type: "string" } }])
  return { content: { [mediaType ?? "application/json"]: { schema: own }, ...Object.fromEntries(others) } }
}

function extensions(operation: Operation): object {
  const { path, authentication, lifecycle, price, product, headers } = operation
  const coverage = headers?.["x-coverage"] ?? product?.coverage
  const isPaid = authentication === "X402"
  const isAgentMode = path.startsWith("/v1/agent-mode/")
  return {
    ...((isAgentMode || lifecycle !== LIFECYCLE) && { "x-agent-mode-lifecycle": lifecycle }),
    ...(isAgentMode && { "x-contract-version": CONTRACT_VERSION }),
    ...(coverage !== undefined && { "x-coverage": coverage }),
    ...(authentication !== "NONE" && { "x-authentication": authentication }),
    ...(isPaid &&
      price && {
        "x-charge": {
          amount: price.amount,
          amount_atomic: String(amountMillionths(price.amount)),
          asset: price.asset,
          network: USDC_BASE.network,
          scheme: "exact",
        },
      }),
    ...(product && { "x-product": { id: product.id, solution: product.solution, jurisdiction: product.jurisdiction } }),
  }
}
