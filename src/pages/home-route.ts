/** `/` for a browser. The page is made again when a key or the products change. */
import type { Operation } from "../../schemas/operation.ts"
import type { Reply } from "../http/call.ts"
import { heldDocument } from "../http/conditional.ts"
import { fingerprint } from "../keys/fingerprint.ts"
import type { KeyRing } from "../keys/key-ring.ts"
import { homePage } from "./home-page.ts"
import { pageLayout } from "./layout.ts"
import { publicPageFields } from "./page-headers.ts"
import type { Site } from "./site.ts"
import { wantsPage } from "./wants-page.ts"

interface HomeParts {
  readonly site: Site
  readonly environment: string
  /** Called on first use, when every route is registered. */
  readonly operations: () => readonly Operation[]
  readonly signingKeys: () => ReturnType<KeyRing["signingKeys"]>
}

const FIELDS = { ...publicPageFields("public, max-age=300"), vary: "Accept" }
const USES: Readonly<Record<string, string>> = {
  statement: "Signs decisions",
  log: "Signs checkpoints of the transparency log",
}

/** Returns the page for a browser, and null for a machine. */
export function homeRoute({
  site,
  environment,
  operations,
  signingKeys,
}: HomeParts): (headers: Headers) => Reply | null {
  const frame = pageLayout(site)
  let held: { readonly keys: string; readonly page: (headers: Headers) => Reply } | undefined
  return (headers) => {
    if (!wantsPage(headers)) return null
    const keys = signingKeys().flatMap(({ use, keyId, x }) => {
      const words = USES[use]
      return words === undefined ? [] : [{ use: words, keyId, fingerprint: fingerprint(x) }]
    })
    const name = keys.map(({ keyId }) => keyId).join(" ")
    if (held?.keys !== name) {
      const main = homePage({ baseUrl: site.baseUrl, environment, operations: operations(), keys })
      const json = { path: "/", title: "Links to every document" }
      const description = "Signed answers that let an autonomous agent release, hold or block a business payment."
      const content = { title: "Is it safe to pay this supplier?", description, section: "/", json, main }
      held = { keys: name, page: heldDocument(frame(content), FIELDS) }
    }
    return held.page(headers)
  }
}
