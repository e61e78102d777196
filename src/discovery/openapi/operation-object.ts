/** One row of the operation table as an OpenAPI Operation Object. */
import { ENABLED_HEADER } from "../../../schemas/agent-mode/notation.ts"
import { getOpenapiExamples } from "../../../schemas/discovery/openapi.ts"
import type { Operation } from "../../../schemas/operation.ts"
import { pathTemplate } from "../../core/discovery/path-template.ts"
import { amountMillionths } from "../../core/money.ts"
import type { ComponentSchemas } from "./component-schemas.ts"
import { isOfOneMoment } from "./examples.ts"
import type { Responses } from "./responses.ts"
import { pascalCase } from "./schema-form.ts"
import { tagOf } from "./tags.ts"

/** What the printer of one operation needs of the whole document. */
interface Surroundings {
  readonly schemas: ComponentSchemas
  readonly responses: Responses
  /** Paths of all operations of the document. */
  readonly paths: ReadonlySet<string>
  /** CAIP-2 id of the chain on which callers pay. */
  readonly network: string
}

/** Version of the request and response formats (Interface, "Versioning"). Only the agent-mode routes repeat it. */
export const CONTRACT_VERSION = "1.0.0"

/** Lifecycle of every operation that does not state another. Only the agent-mode routes repeat it. */
export const LIFECYCLE = "ACTIVE"

export function operationObject(operation: Operation, surroundings: Surroundings): object {
  const { schemas, responses, network } = surroundings
  const parameters = [...pathParameters(operation, schemas), ...headerParameters(operation)]
  return {
    tags: [tagOf(operation.path)],
    operationId: operation.id,
    summary: operation.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && { requestBody: requestBody(operation, surroundings) }),
    responses: responses.of(operation),
    ...(operation.authentication === "X402" && { security: [] }),
    ...(operation.authentication === "AGENT_ED25519" && { security: [{ agentEd25519: [] }] }),
    ...extensions(operation, network),
  }
}

function pathParameters({ id, path, parameters = {} }: Operation, schemas: ComponentSchemas): object[] {
  return [...pathTemplate(path).matchAll(/\{([A-Za-z]+)\}/g)].map(([, name = ""]) => {
    const schema = parameters[name]
    return {
      name,
      in: "path",
      required: true,
      ...(path.endsWith("*") && name === "rest" && { description: "The rest of the path, with its slashes" }),
      schema: schema ? schemas.request(schema, pascalCase(`${id}_${name}`)) : { type: "string", minLength: 1 },
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

function requestBody({ id, path, body, bodyBytesMax, exampleBody }: Operation, surroundings: Surroundings): object {
  const schema = body && surroundings.schemas.requestBody(body, `${pascalCase(id)}Body`)
  const isKept = exampleBody !== undefined && !isOfOneMoment(exampleBody)
  const served = isKept ? undefined : servedExample({ id, path }, surroundings)
  return {
    required: true,
    ...(bodyBytesMax !== undefined && { "x-body-bytes-max": bodyBytesMax }),
    content: { "application/json": { schema, ...(isKept && { example: exampleBody }) } },
    ...(served !== undefined && { "x-example": served }),
  }
}

/**
 * Returns where a complete body with times of now is served, as a path and a JSON pointer (RFC 6901). The document has it as an extension and
 * not as `externalValue`, which some tools fetch.
 */
function servedExample({ id, path }: Pick<Operation, "id" | "path">, { paths }: Surroundings): string | undefined {
  const own = `${path}/example`
  if (paths.has(own)) return `${own}#/example`
  return paths.has(getOpenapiExamples.path) ? `${getOpenapiExamples.path}#/${id}` : undefined
}

function extensions(operation: Operation, network: string): object {
  const { path, authentication, lifecycle, price, product, headers } = operation
  const coverage = headers?.["x-coverage"] ?? product?.coverage
  const isPaid = authentication === "X402"
  const isAgentMode = path.startsWith("/v1/agent-mode/")
  return {
    ...((isAgentMode || lifecycle !== LIFECYCLE) && { "x-agent-mode-lifecycle": lifecycle }),
    ...(headers?.[ENABLED_HEADER] && { [ENABLED_HEADER]: headers[ENABLED_HEADER] === "true" }),
    ...(isAgentMode && { "x-contract-version": CONTRACT_VERSION }),
    ...(coverage !== undefined && { "x-coverage": coverage }),
    ...(authentication !== "NONE" && { "x-authentication": authentication }),
    ...(isPaid &&
      price && {
        "x-charge": {
          amount: price.amount,
          amount_atomic: String(amountMillionths(price.amount)),
          asset: price.asset,
          network,
          scheme: "exact",
        },
      }),
    ...(product && { "x-product": { id: product.id, solution: product.solution, jurisdiction: product.jurisdiction } }),
  }
}
