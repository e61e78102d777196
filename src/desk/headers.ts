import { HTML } from "../../schemas/response.ts"
import { contentPolicy } from "../pages/page-headers.ts"

/**
 * Header fields of a page of the desk. A form goes to the desk alone. `same-origin`: with `no-referrer` a browser would send the origin `null` with a
 * form, and every form would be refused.
 */
export function deskFields(script: string | null): Record<string, string> {
  return {
    "content-type": HTML,
    "content-security-policy": contentPolicy({ script, isHeader: true, forms: "'self'", images: "data:" }),
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "publickey-credentials-create=(self), publickey-credentials-get=(self)",
    "x-robots-tag": "noindex",
  }
}
