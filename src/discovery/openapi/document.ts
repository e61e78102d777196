/** `GET /v1/openapi.json`: the whole interface as OpenAPI 3.1, printed from the served rows. */
import type { TSchema } from "@sinclair/typebox"
import { getOpenapi } from "../../../schemas/discovery/openapi.ts"
import type { Operation } from "../../../schemas/operation.ts"
import { PaymentPayload } from "../../../schemas/x402.ts"
import { pathTemplate } from "../../core/discovery/path-template.ts"
import type { ConstantRow, DocumentParts } from "../parts.ts"
import { ComponentSchemas } from "./component-schemas.ts"
import { errorCodes, withErrorCodes } from "./error-codes.ts"
import { headerComponents, parameterComponents } from "./header-objects.ts"
import { CONTRACT_VERSION, LIFECYCLE, operationObject } from "./operation-object.ts"
import { Responses } from "./responses.ts"
import { TAGS, tagOf } from "./tags.ts"

/** Version of the interface description (Interface, "Versioning"). */
const DESCRIPTION_VERSION = "3.0.0"

export const OPENAPI_DOCUMENT: ConstantRow = { operation: getOpenapi, print: openapiText }

type Parts = Pick<DocumentParts, "baseUrl" | "issuerName" | "operations" | "network" | "version">

/** Returns the document as JSON text. The same parts give the same bytes. */
export function openapiText({ baseUrl, issuerName, operations, network, version }: Parts): string {
  const schemas = new ComponentSchemas(requestSchemas(operations))
  const responses = new Responses(schemas)
  const surroundings = { schemas, responses, network, paths: new Set(operations.map(({ path }) => path)) }
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    const path = pathTemplate(operation.path)
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationObject(operation, surroundings) }
  }
  const referring = JSON.stringify([paths, responses.components()])
  return JSON.stringify({
    openapi: "3.1.0",
    info: {
      title: "Business Authorization Service",
      version: DESCRIPTION_VERSION,
      summary: "Verifiable business-authorization answers for autonomous agents and enterprise systems",
      description: DESCRIPTION,
      contact: { name: issuerName, url: baseUrl },
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
      "x-contract-version": CONTRACT_VERSION,
      "x-service-version": version,
    },
    servers: [{ url: baseUrl }],
    "x-agent-mode-lifecycle": LIFECYCLE,
    security: [],
    tags: usedTags(operations),
    paths,
    components: {
      responses: responses.components(),
      parameters: usedOf("parameters", parameterComponents(schemas), referring),
      headers: usedOf("headers", headerComponents(schemas), referring),
      securitySchemes: SECURITY_SCHEMES,
      schemas: componentSchemas(schemas, baseUrl),
    },
  })
}

function requestSchemas(operations: readonly Operation[]): readonly TSchema[] {
  const own = operations.flatMap(({ body, parameters = {} }) => [...(body ? [body] : []), ...Object.values(parameters)])
  return [PaymentPayload, ...own]
}

const DESCRIPTION =
  "A successful response is not permission to proceed: the decision, reason codes, coverage, validity times and source health in the body " +
  "prevail. Every route but the paid ones is free. A paid route without a payment answers 402 with a quote that is bound to the body; a " +
  "quote is not a charge. A request with a member that its schema does not name is rejected. An operation with a response 304 gives an ETag " +
  "and compares it with If-None-Match. C14N is SVC-C14N-JSON-1, the canonical JSON of RFC 8785; a digest is SHA-256, a signature Ed25519, and " +
  "/v1/agent/signed-forms says what each covers."

/** OpenAPI has no type for RFC 9421: an API key in the header field `Signature` is the closest. */
const SECURITY_SCHEMES = {
  agentEd25519: {
    type: "apiKey",
    in: "header",
    name: "Signature",
    description: "HTTP message signature (RFC 9421) by the operational Ed25519 key of an Agent ID",
  },
}

/** The error catalogue is the type of the code of a problem. */
function componentSchemas(schemas: ComponentSchemas, baseUrl: string): Readonly<Record<string, object>> {
  const { Problem: problem = {}, ...others } = schemas.components()
  return { ...others, ErrorCode: errorCodes(baseUrl), Problem: withErrorCodes(problem) }
}

function usedOf(kind: string, components: Readonly<Record<string, object>>, referring: string): object {
  const used = Object.entries(components).filter(([name]) => referring.includes(`"#/components/${kind}/${name}"`))
  return Object.fromEntries(used)
}

function usedTags(operations: readonly Operation[]): object[] {
  const used = new Set(operations.map(({ path }) => tagOf(path)))
  return TAGS.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description }))
}
