/**
 * Passports are public: any caller with the id may read them, from any origin. The document never changes, so caches may store it until it
 * expires. CHOICE: an expired passport is still returned unchanged; its own times and its signature show that it has expired.
 */

import type { CompanyPassport } from "../../../../schemas/us/company-passport.ts"
import { getCompanyPassport } from "../../../../schemas/us/company-passport.ts"
import { ServiceError } from "../../../base/errors.ts"
import { instant, SECOND } from "../../../core/time.ts"
import { conditional } from "../../../http/conditional.ts"
import { serve } from "../../../http/serve.ts"
import type { Shell } from "../../../http/shell.ts"
import type { Store } from "../../../store/engine/unit.ts"
import { findAttachment } from "../../../store/sales/deliveries.ts"

export function companyPassports({ shell, store }: { readonly shell: Shell; readonly store: Store }) {
  return serve(shell, getCompanyPassport, async ({ params, headers, at }) => {
    const id = params["passportId"] ?? ""
    const json = /^psp_[A-Za-z0-9_-]{22}$/.test(id) ? await store.read(() => findAttachment(id)) : null
    if (json === null) throw new ServiceError("PASSPORT_NOT_FOUND", "No delivered company check has this passport.")
    const { payload } = JSON.parse(json) as CompanyPassport
    const seconds = Math.floor((instant(payload.valid_until) - at) / SECOND)
    return conditional(headers, new TextEncoder().encode(json), {
      "cache-control": seconds > 0 ? `public, max-age=${seconds}, immutable` : "public, no-cache",
    })
  })
}
