/** Routes of the documentation. Each page is rendered at its first request, by modules that load then. */
import {
  readApiIndex,
  readApiOperation,
  readDocsIndex,
  readDocsPage,
  readReasonIndex,
  readReasonPage,
  readReferencePage,
} from "../../../schemas/pages.ts"
import { atFirstUse } from "../../core/at-first-use.ts"
import type { Route } from "../../http/route.ts"
import { type PageParts, pageRoute } from "../page-route.ts"
import type { PageContent } from "../site.ts"

interface DocsParts extends PageParts {
  /** Text of the served OpenAPI document. */
  readonly openapi: () => Promise<string>
}

const pages = atFirstUse(() => import("./docs-pages.ts"))
const reasons = atFirstUse(() => import("./reason-pages.ts"))
const api = atFirstUse(() => import("./api-pages.ts"))

export function docsRoutes(parts: DocsParts): readonly Route[] {
  const reference = atFirstUse(async () => (await api()).readApi(await parts.openapi()))

  async function document(path: string): Promise<PageContent | null> {
    const { documentContent, findDocument } = await pages()
    const page = findDocument(path)
    if (page === undefined) return null
    return { title: page.title, description: page.about, section: "/docs", main: await documentContent(page) }
  }

  return [
    pageRoute(parts, readDocsIndex, async () => ({
      title: "Documentation",
      section: "/docs",
      main: (await pages()).docsIndex(),
    })),
    pageRoute(parts, readDocsPage, document),
    pageRoute(parts, readReferencePage, document),
    pageRoute(parts, readReasonIndex, async () => ({
      title: "Reason codes",
      section: "/docs",
      main: (await reasons()).reasonIndex(),
    })),
    pageRoute(parts, readReasonPage, async (_, { code = "" }) => {
      const main = (await reasons()).reasonPage(code)
      return main && { title: code, section: "/docs", main }
    }),
    pageRoute(parts, readApiIndex, async () => ({
      title: "API reference",
      section: "/docs",
      json: { path: "/v1/openapi.json", title: "OpenAPI document" },
      main: (await api()).apiIndex(await reference()),
    })),
    pageRoute(parts, readApiOperation, async (_, { operationId = "" }) => {
      const main = (await api()).apiOperation(await reference(), operationId)
      return main && { title: operationId, section: "/docs", main }
    }),
  ]
}
