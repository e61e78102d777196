/** The error catalogue, one entry for each code, at the URL that every problem names as its `type`. */

import { getProblem, type ProblemDescription } from "../../schemas/discovery/problem.ts"
import { ServiceError } from "../base/errors.ts"
import { type ErrorCode, isErrorCode, refusalRow } from "../base/refusals.ts"
import { canonicalize } from "../core/canonical-json.ts"
import type { Call, Reply } from "../http/call.ts"
import { heldDocument } from "../http/conditional.ts"
import { problemResponse, problemType } from "../http/problem.ts"
import { serve } from "../http/serve.ts"
import type { Shell } from "../http/shell.ts"
import { pageLayout } from "./layout.ts"
import { publicPageFields } from "./page-headers.ts"
import { problemPath } from "./page-paths.ts"
import { problemPage } from "./problem-page.ts"
import { type RefusedRequest, refusalPages } from "./refusal-page.ts"
import type { Site } from "./site.ts"
import { wantsPage } from "./wants-page.ts"

const CACHE_CONTROL = "public, max-age=300"
const JSON_FIELDS = { "content-type": "application/json", "cache-control": CACHE_CONTROL, vary: "Accept" }
const PAGE_FIELDS = { ...publicPageFields(CACHE_CONTROL), vary: "Accept" }

interface ProblemDocuments {
  readonly json: (request: Headers) => Reply
  readonly page: (request: Headers) => Reply
}

export function problemRoutes(shell: Shell, site: Site) {
  const made = new Map<ErrorCode, ProblemDocuments>()
  const frame = pageLayout(site)

  /** Built on first request of a code, because building all of them would delay every start. */
  function documentsOf(code: ErrorCode): ProblemDocuments {
    let documents = made.get(code)
    if (documents === undefined) {
      const row = describe(code, shell.baseUrl())
      documents = {
        json: heldDocument(canonicalize(row), JSON_FIELDS),
        page: heldDocument(pageOf(row), PAGE_FIELDS),
      }
      made.set(code, documents)
    }
    return documents
  }

  function pageOf(row: ProblemDescription): string {
    const json = { path: problemPath(row.code), title: "This row of the catalogue" }
    return frame({ title: `${row.code}: ${row.title}`, section: "/docs", json, main: problemPage(row) })
  }

  function reply({ params, headers }: Call<null>): Reply {
    const code = params["code"] ?? ""
    if (!isErrorCode(code)) throw new ServiceError("NOT_FOUND", "No error has this code.")
    const { json, page } = documentsOf(code)
    return wantsPage(headers) ? page(headers) : json(headers)
  }

  const refusalPage = refusalPages(site)
  /** Only for an unknown code does the OpenAPI document name a page. */
  function refusal(refused: ServiceError | null, request: RefusedRequest): Response {
    return refused?.code === "NOT_FOUND" ? refusalPage(refused, request) : problemResponse(refused, request)
  }

  return serve(shell, getProblem, reply, { refusal })
}

function describe(code: ErrorCode, baseUrl: string): ProblemDescription {
  const { status, title, next, retryable = false } = refusalRow(code)
  return {
    schema_version: "1.0.0",
    type: problemType(baseUrl, code),
    code,
    title,
    status,
    retryable,
    charged: false,
    next_machine_action: next,
  }
}
