import { readFavicon } from "../../schemas/pages.ts"
import { serve } from "../http/serve.ts"
import type { Shell } from "../http/shell.ts"
import { MARK_PATH } from "./site.ts"

const FIELDS = Object.freeze({ location: MARK_PATH, "cache-control": "public, max-age=86400" })

/** Browsers ask for `/favicon.ico` also beside a JSON document. */
export function faviconRoute(shell: Shell) {
  return serve(shell, readFavicon, () => ({ status: 308, body: null, headers: FIELDS }))
}
