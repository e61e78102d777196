/** One page that is the same for everybody: made at its first request, then held with its ETag. */
import type { Operation } from "../../schemas/operation.ts"
import { ServiceError } from "../base/errors.ts"
import type { Call, Reply } from "../http/call.ts"
import { heldDocument } from "../http/conditional.ts"
import type { Route } from "../http/route.ts"
import { serve } from "../http/serve.ts"
import type { Shell } from "../http/shell.ts"
import { pageLayout } from "./layout.ts"
import { publicPageFields } from "./page-headers.ts"
import { refusalPages } from "./refusal-page.ts"
import type { PageContent, Site } from "./site.ts"

const FIELDS = publicPageFields("public, max-age=300")

export interface PageParts {
  readonly shell: Shell
  readonly site: Site
}

/**
 * Serves the pages of one operation. `contentOf` returns the content of the page that a path names, or null if there is none; it is called
 * once for each page, so the pages must be few.
 */
export function pageRoute(
  { shell, site }: PageParts,
  operation: Operation<undefined>,
  contentOf: (path: string, params: Call<null>["params"]) => Promise<PageContent | null>,
): Route {
  const frame = pageLayout(site)
  const made = new Map<string, Promise<(request: Headers) => Reply>>()

  async function make(path: string, params: Call<null>["params"]): Promise<(request: Headers) => Reply> {
    const content = await contentOf(path, params)
    if (content === null) throw new ServiceError("NOT_FOUND", "No page has this address.")
    return heldDocument(frame(content), FIELDS)
  }

  async function reply({ path, params, headers }: Call<null>): Promise<Reply> {
    // By the decoded name: a path can spell one name in any number of ways.
    const name = Object.values(params).join("/")
    let page = made.get(name)
    if (page === undefined) {
      page = make(path, params)
      made.set(name, page)
      // What names no page must not be kept: there is no end of such names.
      page.catch(() => made.delete(name))
    }
    return (await page)(headers)
  }

  return serve(shell, operation, reply, { refusal: refusalPages(site) })
}
