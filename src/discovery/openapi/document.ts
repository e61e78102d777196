/** `GET /v1/openapi.json`: the whole interface as OpenAPI 3.1, printed from the served rows. */
import { getOpenapi } from "../../../schemas/discovery/openapi.ts"
import { type Operation, REFUSED_ALIKE } from "../../../schemas/operation.ts"
import { Problem } from "../../../schemas/problem.ts"
import { pathTemplate } from "../../core/discovery/path-template.ts"
import type { ConstantRow, DocumentParts } from "../parts.ts"
import { DocumentSchemas } from "./document-schemas.ts"
import { errorCodes, withErrorCodes } from "./error-codes.ts"
import { headerComponents, PROBLEM_HEADERS, parameterComponents, REFUSAL_HEADERS } from "./header-objects.ts"
import { CONTRACT_VERSION, EXAMPLE_OF_ALL, LIFECYCLE, operationObject } from "./operation-object.ts"
import { sharedObjects } from "./shared-objects.ts"
import { type PrintedDocument, withShortInPlace } from "./short-in-place.ts"
import { TAGS, tagOf } from "./tags.ts"

/** Version of the interface description (Interface, "Versioning"). */
const DESCRIPTION_VERSION = "3.0.0"

export const OPENAPI_DOCUMENT: ConstantRow = { operation: getOpenapi, print: openapiText }

type Parts = Pick<DocumentParts, "baseUrl" | "issuerName" | "operations" | "version">

/** Returns the document as JSON text. The same parts give the same bytes. */
export function openapiText(parts: Parts): string {
  const { document, derived } = openapiDocument(parts)
  return JSON.stringify(withShortInPlace(document, derived))
}

/** `derived`: names of schema parts that no caller knows. */
function openapiDocument({ baseUrl, issuerName, operations, version }: Parts): {
  readonly document: PrintedDocument
  readonly derived: ReadonlySet<string>
} {
  const schemas = new DocumentSchemas(operations)
  const paths = new Set(operations.map(({ path }) => path))
  const printed = operations.map((operation) => ({
    path: pathTemplate(operation.path),
    method: operation.method.toLowerCase(),
    object: operationObject(operation, { schemas, paths }) as OperationObject,
  }))
  const shared = sharedParts(printed.map(({ object }) => object))
  const pathItems: Record<string, Record<string, object>> = {}
  for (const { path, method, object } of printed) {
    pathItems[path] = { ...pathItems[path], [method]: shared.place(object) }
  }
  const problem = schemas.reply(Problem)
  const responses = { ...shared.responses, ...problemResponses(problem) }
  const referring = JSON.stringify([pathItems, responses])
  const parameters = { ...usedOf("parameters", parameterComponents(schemas), referring), ...shared.parameters }
  const headers = usedOf("headers", headerComponents(schemas), referring)
  const document = {
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
    "x-example": EXAMPLE_OF_ALL,
    security: [],
    tags: usedTags(operations),
    paths: pathItems,
    components: {
      schemas: componentSchemas(schemas, baseUrl),
      responses,
      parameters,
      requestBodies: shared.requestBodies,
      headers,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
  return { document, derived: schemas.derivedNames() }
}

interface Described {
  readonly description?: string
  readonly $ref?: string
}

interface Parameter extends Described {
  readonly name?: string
}

interface RequestBody extends Described {
  readonly content?: { readonly "application/json": { readonly schema?: { readonly $ref?: string } } }
}

interface OperationObject {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: RequestBody
  readonly responses: Readonly<Record<string, Described>>
}

/** The parts that operations share: responses by status, path parameters by name, and request bodies by the name of their schema. */
function sharedParts(operations: readonly OperationObject[]) {
  const responses = sharedObjects(
    "responses",
    operations.flatMap((one) => Object.entries(one.responses)),
  )
  const parameters = sharedObjects(
    "parameters",
    operations.flatMap((one) => (one.parameters ?? []).map((each) => [each.name ?? "", each] as const)),
  )
  const bodies = sharedObjects(
    "requestBodies",
    operations.flatMap(({ requestBody: body }) => (body ? [[bodyName(body), body] as const] : [])),
  )
  return {
    responses: responses.components,
    parameters: parameters.components,
    requestBodies: bodies.components,
    place: (one: OperationObject): object => ({
      ...one,
      ...(one.parameters && { parameters: one.parameters.map((each) => parameters.place(each.name ?? "", each)) }),
      ...(one.requestBody && { requestBody: bodies.place(bodyName(one.requestBody), one.requestBody) }),
      responses: Object.fromEntries(
        Object.entries(one.responses).map(([status, each]) => [status, responses.place(status, each)]),
      ),
    }),
  }
}

function bodyName({ content }: RequestBody): string {
  const { $ref = "" } = content?.["application/json"].schema ?? {}
  return $ref.slice($ref.lastIndexOf("/") + 1) || "Body"
}

const DESCRIPTION =
  "A successful response is not permission to proceed: the decision, reason codes, coverage, validity times and source health in the body " +
  "prevail. Every route but the paid ones is free. A paid route without a payment answers 402 with a quote that is bound to the body; a " +
  "quote is not a charge. A request with a member that its schema does not name is rejected. An operation with a response 304 gives an ETag " +
  "and compares it with If-None-Match."

/** OpenAPI has no type for RFC 9421: an API key in the header field `Signature` is the closest. */
const SECURITY_SCHEMES = {
  agentEd25519: {
    type: "apiKey",
    in: "header",
    name: "Signature",
    description: "HTTP message signature (RFC 9421) by the operational Ed25519 key of an Agent ID",
  },
}

function componentSchemas(schemas: DocumentSchemas, baseUrl: string): Readonly<Record<string, object>> {
  const { Problem: problem = {}, ...others } = schemas.components()
  return { ...others, ErrorCode: errorCodes(baseUrl), Problem: withErrorCodes(problem) }
}

const ALIKE = Object.entries(REFUSED_ALIKE)
  .map(([status, { description }]) => `${status}: ${description}`)
  .join(". ")

/** The shared refusals. An operation that refers to one has a description of its own beside the reference. */
function problemResponses(schema: object): Readonly<Record<string, object>> {
  const content = { "application/problem+json": { schema } }
  const named = Object.entries(PROBLEM_HEADERS).map(([name, headers]) => [
    name,
    { description: "A refusal", ...(Object.keys(headers).length > 0 && { headers }), content },
  ])
  const description = `Any other refusal; \`code\` names it. ${ALIKE}`
  return { ...Object.fromEntries(named), "4XX": { description, headers: REFUSAL_HEADERS, content } }
}

function usedOf(kind: string, components: Readonly<Record<string, object>>, referring: string): object {
  const used = Object.entries(components).filter(([name]) => referring.includes(`"#/components/${kind}/${name}"`))
  return Object.fromEntries(used)
}

function usedTags(operations: readonly Operation[]): object[] {
  const used = new Set(operations.map(({ path }) => tagOf(path)))
  return TAGS.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description }))
}
