import { hash } from "node:crypto"

/**
 * Headers of a page with exactly this style and no script. They allow only images of this origin, no form, no framing, no referrer, no
 * cache and no index, because the URL is the whole secret of an invitation.
 */
export function pageHeaders(style: string): Readonly<Record<string, string>> {
  return {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": [
      "default-src 'none'",
      `style-src 'sha256-${hash("sha256", style, "base64")}'`,
      "img-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    link: '</.well-known/ai-catalog.json>; rel="ai-catalog"',
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex",
  }
}
