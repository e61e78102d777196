/** A refusal as a page, for a browser that opened an address without what it names. Status and header fields are those of the problem. */
import type { ServiceError } from "../base/errors.ts"
import type { ProblemContext } from "../http/problem.ts"
import { problemHeaders, problemOf, problemResponse } from "../http/problem.ts"
import { html } from "./html.ts"
import { pageLayout } from "./layout.ts"
import { PRIVATE_PAGE_FIELDS } from "./page-headers.ts"
import { problemPath } from "./page-paths.ts"
import type { Site } from "./site.ts"
import { wantsPage } from "./wants-page.ts"

export interface RefusedRequest extends ProblemContext {
  readonly headers: Headers
}

/** Returns the function that writes a refusal: a page for a browser, else application/problem+json. Null means a bug. */
export function refusalPages(site: Site): (refused: ServiceError | null, request: RefusedRequest) => Response {
  const frame = pageLayout(site)
  return (refused, request) => {
    if (!wantsPage(request.headers)) return problemResponse(refused, request)
    const { title, status, code, detail, request_id: requestId } = problemOf(refused, request)
    const headers = problemHeaders(refused)
    for (const [name, value] of Object.entries(PRIVATE_PAGE_FIELDS)) headers.set(name, value)
    const main = html`<p class="quiet">${String(status)}</p>
<h1>${title}</h1>
<p class="lead">${detail}</p>
<p><a href="${problemPath(code)}">What <code>${code}</code> means</a></p>
<p>Go on to <a href="/">the first page</a>, the <a href="/status">status</a>, the <a href="/docs">documentation</a>, or <a href="/verify">verify a document</a>.</p>
<p class="quiet">Request <code>${requestId}</code></p>`
    return new Response(frame({ title, main }), { status, headers })
  }
}
