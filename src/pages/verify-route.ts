/** `/verify`: one file with everything in it. It is made at its first request, and again when the published keys change. */
import { readVerifyPage } from "../../schemas/pages.ts"
import { atFirstUse } from "../core/at-first-use.ts"
import { EncodedDocument } from "../http/encoded-document.ts"
import { serve } from "../http/serve.ts"
import { pageLayout } from "./layout.ts"
import { publicPageFields } from "./page-headers.ts"
import type { PageParts } from "./page-route.ts"
import { refusalPages } from "./refusal-page.ts"

interface VerifyParts extends PageParts {
  /** Canonical bytes of the published keys: the same array until they change. */
  readonly jwks: () => Uint8Array
  /** Source of the mark. */
  readonly markSvg: string
}

const modules = atFirstUse(() => Promise.all([import("./verify-page.ts"), import("./verify-script.ts")]))

export function verifyRoute({ shell, site, jwks, markSvg }: VerifyParts) {
  const frame = pageLayout(site)
  let held: { readonly keys: Uint8Array; readonly page: Promise<EncodedDocument> } | undefined

  async function make(keys: Uint8Array): Promise<EncodedDocument> {
    const [{ verifyPage }, { VERIFY_SCRIPT: script }] = await modules()
    const { issuerName, baseUrl } = site
    const page = frame({
      title: "Verify a document",
      description: "Checks in the browser whether a signed answer is genuine, current, and what it permits.",
      section: "/verify",
      main: verifyPage({ issuerName, baseUrl, jwks: new TextDecoder().decode(keys) }),
      file: { script, mark: `data:image/svg+xml;base64,${btoa(markSvg)}` },
    })
    return new EncodedDocument(new TextEncoder().encode(page), publicPageFields("public, max-age=300", script))
  }

  return serve(
    shell,
    readVerifyPage,
    async ({ headers }) => {
      const keys = jwks()
      if (held?.keys !== keys) {
        const made = { keys, page: make(keys) }
        held = made
        made.page.catch(() => {
          if (held === made) held = undefined
        })
      }
      return (await held.page).reply(headers)
    },
    { refusal: refusalPages(site) },
  )
}
