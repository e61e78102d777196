import { hash } from "node:crypto"
import { HTML } from "../../schemas/response.ts"
import { PAGE_STYLE } from "./style.ts"

/** Header fields of a page. */
type PageFields = Readonly<Record<string, string>>

/**
 * `frame-ancestors` counts in a header only (CSP 3, section 6.4.2). A page with a script is one file that also works without its server, so
 * its images are in it.
 */
export function contentPolicy({
  script,
  isHeader,
  forms = "'none'",
  images = script === null ? "'self'" : "data:",
}: {
  readonly script: string | null
  readonly isHeader: boolean
  /** Where a form may go. */
  readonly forms?: "'none'" | "'self'"
  readonly images?: "'self'" | "data:"
}): string {
  return [
    "default-src 'none'",
    ...(script === null ? [] : [`script-src '${sourceHash(script)}'`]),
    `style-src '${sourceHash(PAGE_STYLE)}'`,
    `img-src ${images}`,
    "base-uri 'none'",
    `form-action ${forms}`,
    ...(isHeader ? ["frame-ancestors 'none'"] : []),
  ].join("; ")
}

/** The hash by which a Content Security Policy allows one inline style or script (CSP 3, section 6.7.2). */
function sourceHash(text: string): string {
  return `sha256-${hash("sha256", text, "base64")}`
}

const COMMON: PageFields = {
  "content-type": HTML,
  link: '</.well-known/ai-catalog.json>; rel="ai-catalog"',
  "referrer-policy": "no-referrer",
}

/**
 * Header fields of a page that anyone may read. They allow the one style, at most one inline script, and images of this origin: no form,
 * no framing, no referrer.
 */
export function publicPageFields(cacheControl: string, script: string | null = null): PageFields {
  return Object.freeze({
    ...COMMON,
    "content-security-policy": contentPolicy({ script, isHeader: true }),
    "cache-control": cacheControl,
  })
}

/** Header fields of a page whose URL is a secret: also no cache and no index. */
export const PRIVATE_PAGE_FIELDS: PageFields = Object.freeze({
  ...publicPageFields("no-store"),
  "x-robots-tag": "noindex",
})
