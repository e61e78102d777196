/** What is wrong with an answer according to the OpenAPI document and to the generator of its request. */
import { hash } from "node:crypto"
import type { OpenapiChecker, OpenapiResponse } from "../../test/fixtures/openapi.ts"
import { type FuzzOperation, type FuzzRequest, wireBytes } from "./fuzz-request.ts"
import { judgeRpc } from "./judge-rpc.ts"
import type { RawAnswer } from "./raw-client.ts"

interface Judgement {
  readonly checker: OpenapiChecker
  readonly rows: readonly FuzzOperation[]
  readonly origin: string
}

interface ProblemBody {
  readonly status: number
  readonly code: string
  readonly type: string
  readonly request_id: string
}

/** Codes that name a fault of a body against its schema. */
const SCHEMA_CODES = ["SCHEMA_INVALID", "INTENT_UNSUPPORTED", "COVERAGE_UNSUPPORTED", "LEAP_SECOND_UNSUPPORTED"]
/** Answers of a server that cannot take a request now. They come before the request is read. */
const BUSY = [429, 503]

const HEAD_BYTES_MAX = 16_000

/** Returns faults as texts; none for a right answer. */
export function judgeAnswer(judgement: Judgement, request: FuzzRequest, answer: RawAnswer): string[] {
  // The HTTP parser refuses a head over 16 KB before any code of the service runs.
  if (answer.status === 431 && wireBytes({ ...request, body: null }, "").length > HEAD_BYTES_MAX) return []
  const row = request.row ?? rowOf(judgement, request)
  const json = parsedBody(answer)
  if (json === undefined) return ["the body is not JSON"]
  return [
    ...(row === null
      ? judgeUnrouted(judgement, request, answer)
      : judgeDocumented(judgement, row, request.method, { answer, json })),
    ...judgeProblem(judgement, answer, json),
    ...judgeExpected(request, answer, json),
    ...judgeFields(answer),
    ...(row === null ? [] : judgeRpc(judgement.rows, row, request, { status: answer.status, json })),
  ]
}

/** The row that a changed path or method leads to, or null. */
function rowOf({ rows, origin }: Judgement, { method, path }: FuzzRequest): FuzzOperation | null {
  const url = URL.parse(path, origin)
  if (url === null || path.startsWith("//")) return null
  const wanted = method === "HEAD" ? "GET" : method
  const found = rows.filter((row) => row.method === wanted && patternOf(row.template).test(url.pathname))
  return found.toSorted((a, b) => a.template.split("{").length - b.template.split("{").length)[0] ?? null
}

const patterns = new Map<string, RegExp>()
function patternOf(template: string): RegExp {
  const known = patterns.get(template)
  if (known !== undefined) return known
  const literal = template.replace(/[.*+?^$()|[\]\\]/g, "\\$&")
  const made = new RegExp(`^${literal.replace(/\{rest\}$/, ".*").replace(/\{[A-Za-z]+\}/g, "[^/]+")}$`)
  patterns.set(template, made)
  return made
}

function judgeUnrouted({ checker }: Judgement, { method }: FuzzRequest, answer: RawAnswer): string[] {
  const { status, headers } = answer
  const isOptions = method === "OPTIONS" && status === 204
  if (isOptions || status === 405) return headers.has("allow") ? [] : [`${status} without Allow`]
  if (status !== 404 && status !== 400) return [`a path of no operation answers ${status}`]
  if (method === "HEAD") return []
  return checker.faults({ $ref: "#/components/schemas/Problem" }, parsedBody(answer))
}

function judgeDocumented(
  { checker }: Judgement,
  row: FuzzOperation,
  method: string,
  { answer, json }: { readonly answer: RawAnswer; readonly json: unknown },
): string[] {
  const { status } = answer
  const named = checker.response(row.operation, status)
  if (named === undefined) return [`${status} is not named`]
  const { headers = {}, content } = named
  const faults = Object.entries(headers).flatMap(([field, header]) =>
    judgeHeader(checker, field, checker.resolved(header) as Header, answer.headers.get(field)),
  )
  if (method === "HEAD") return faults
  return [...faults, ...judgeContent(checker, content, answer, json)]
}

interface Header {
  readonly required?: boolean
  readonly schema: { readonly type?: string; readonly contentSchema?: object }
}

function judgeHeader(checker: OpenapiChecker, field: string, header: Header, value: string | null): string[] {
  if (value === null) return header.required ? [`no ${field}`] : []
  const { type, contentSchema } = header.schema
  const faults = checker.faults(header.schema, type === "integer" ? Number(value) : value)
  if (contentSchema) faults.push(...checker.faults(contentSchema, JSON.parse(Buffer.from(value, "base64").toString())))
  return faults.map((fault) => `${field}:${fault}`)
}

function judgeContent(
  checker: OpenapiChecker,
  content: OpenapiResponse["content"],
  { body, headers, status }: RawAnswer,
  json: unknown,
): string[] {
  if (content === undefined) return body.length === 0 ? [] : [`${status} has a body that is not named`]
  const type = headers.get("content-type") ?? ""
  const media = content[type]
  if (media === undefined) return [`${status} has the media type "${type}"`]
  return type.includes("json") ? checker.faults(media.schema, json).map((fault) => `${status} body: ${fault}`) : []
}

/** A problem document has no members but the named ones, and repeats the status and the id of the request. */
function judgeProblem({ checker }: Judgement, { status, headers }: RawAnswer, json: unknown): string[] {
  if (headers.get("content-type") !== "application/problem+json" || json === null) return []
  const problem = json as ProblemBody
  const { properties = {} } = checker.document.components.schemas["Problem"] as { properties?: object }
  const faults = Object.keys(problem)
    .filter((member) => !(member in properties))
    .map((member) => `the problem has ${member}`)
  if (problem.status !== status) faults.push(`the problem says ${problem.status}, not ${status}`)
  if (!problem.type.endsWith(`/problems/${problem.code}`)) faults.push(`type ${problem.type} of ${problem.code}`)
  const id = headers.get("x-request-id")
  if (id !== null && id !== problem.request_id) faults.push("the problem has another request id than the header")
  return faults
}

function judgeExpected({ expects, method, row }: FuzzRequest, { status }: RawAnswer, json: unknown): string[] {
  if (BUSY.includes(status)) return []
  if (expects.statuses !== null && !expects.statuses.includes(status)) {
    return [`${status}, not ${expects.statuses.join(" or ")}`]
  }
  if (method === "HEAD") return []
  const code = status >= 400 ? codeOf(json) : null
  if (expects.code !== null && code !== expects.code) return [`code ${code}, not ${expects.code}`]
  if (expects.isValid === true && code === "SCHEMA_INVALID" && !isOfThisService(row, json))
    return ["the document's schema accepts what the service refuses"]
  if (expects.isValid === false && !SCHEMA_CODES.includes(code ?? "")) {
    return [`the document's schema refuses what the service answers with ${status} ${code}`]
  }
  return []
}

/** Faults that the schema does not state: what a member repeats of the path, the service or another member, and what one of two routes refuses. */
const SERVICE_FAULTS = ["AUDIENCE", "ISSUER", "KEY_ID", "PATH", "STATEMENT_REQUIRED"]
/** Faults of a time beside another time or the clock. */
const TIME_FAULTS = [
  ...[
    "WINDOW_EMPTY",
    "WINDOW_TOO_LONG",
    "VALIDITY_TOO_LONG",
    "VALID_FROM_TOO_FAR",
    "VALID_UNTIL_PAST",
    "MESSAGE_ENDED",
  ],
  ...["OCCURRED_TOO_EARLY", "OCCURRED_IN_FUTURE", "ISSUED_IN_FUTURE", "EVALUATED_AT_OUT_OF_WINDOW"],
]
/** Faults that the flat schema of one operation does not state: a member that its scope has not, and a product that is not served. */
const FAULTS_OF_OPERATION: ReadonlyMap<string, readonly string[]> = new Map([
  ["opt_out_of_agent_sales", ["SCOPE_MEMBER_MISSING", "SCOPE_MEMBER_UNEXPECTED", "PRODUCT_UNKNOWN"]],
])

function isOfThisService(row: FuzzOperation | null, json: unknown): boolean {
  const ofOperation = FAULTS_OF_OPERATION.get(row?.operation.operationId ?? "") ?? []
  const isNotStated = (code: string) => [...SERVICE_FAULTS, ...TIME_FAULTS, ...ofOperation].includes(code)
  const { errors = [] } = json as { readonly errors?: readonly { readonly code: string; readonly pointer: string }[] }
  return errors.length > 0 && errors.every(({ code, pointer }) => isNotStated(code) || isReceived(pointer))
}

/** The document describes what a request passes on as it was received by the open schema of the reply. */
function isReceived(pointer: string): boolean {
  return pointer === "/artifact" || pointer.startsWith("/artifact/document")
}

interface RpcBody {
  readonly error?: { readonly data?: Partial<ProblemBody> | readonly { readonly metadata?: Partial<ProblemBody> }[] }
}

/** The code of a problem document, also of one in a JSON-RPC error of either endpoint. */
function codeOf(json: unknown): string | null {
  const { code, error } = (json ?? {}) as Partial<ProblemBody> & RpcBody
  if (code !== undefined) return code
  const data = error?.data
  const details = Array.isArray(data) ? data[0]?.metadata : (data as Partial<ProblemBody> | undefined)
  return details?.code ?? null
}

function judgeFields({ headers, coded, status }: RawAnswer): string[] {
  const faults: string[] = []
  const digest = headers.get("content-digest")
  const isWhole = coded.length > 0 && status !== 304
  if (digest !== null && isWhole && !digest.includes(`sha-256=:${hash("sha256", coded, "base64")}:`)) {
    faults.push("Content-Digest is not of the body")
  }
  if (!headers.has("x-request-id")) faults.push("no X-Request-Id")
  return faults
}

/** Null for a body that is not JSON by its type or that is empty; undefined for one that should be and is not. */
function parsedBody({ headers, body }: RawAnswer): unknown {
  if (body.length === 0 || !headers.get("content-type")?.includes("json")) return null
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
