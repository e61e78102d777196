/** The error catalogue, one entry for each code, at the URL that every problem names as its `type`. */

import { getProblem, type ProblemDescription } from "../../schemas/discovery/problem.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { ServiceError } from "../errors.ts"
import type { Call, Reply } from "../http/call.ts"
import { heldDocument } from "../http/conditional.ts"
import { problemType } from "../http/problem.ts"
import { serve } from "../http/serve.ts"
import type { Shell } from "../http/shell.ts"
import { type ErrorCode, isErrorCode, refusalRow } from "../refusals.ts"
import { pageHeaders } from "./page-headers.ts"
import { PROBLEM_STYLE, problemPage } from "./problem-page.ts"

const CACHED = { "cache-control": "public, max-age=300", vary: "Accept" }

interface ProblemDocuments {
  readonly json: (request: Headers) => Reply
  readonly page: (request: Headers) => Reply
}

export function problemRoutes(shell: Shell) {
  const made = new Map<ErrorCode, ProblemDocuments>()
  const pageFields = { ...pageHeaders(PROBLEM_STYLE), ...CACHED }

  /** Built on first request of a code, because building all of them would delay every start. */
  function documentsOf(code: ErrorCode): ProblemDocuments {
    let documents = made.get(code)
    if (documents === undefined) {
      const row = describe(code, shell.baseUrl())
      documents = {
        json: heldDocument(canonicalize(row), { "content-type": "application/json", ...CACHED }),
        page: heldDocument(problemPage(row), pageFields),
      }
      made.set(code, documents)
    }
    return documents
  }

  return serve(shell, getProblem, ({ params, headers }: Call<null>) => {
    const code = params["code"] ?? ""
    if (!isErrorCode(code)) throw new ServiceError("NOT_FOUND", "No error has this code.")
    const { json, page } = documentsOf(code)
    return wantsPage(headers.get("accept")) ? page(headers) : json(headers)
  })
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

/** A browser sends text/html. A client that also accepts JSON is a machine. */
function wantsPage(accept: string | null): boolean {
  return accept !== null && /\btext\/html\b/i.test(accept) && !/\bjson\b/i.test(accept)
}
