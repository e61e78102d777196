/** Connects the job rail to the Payment Decision: its gates, its records and its keys. */

import { getServiceJwks } from "../../schemas/discovery/jwks.ts"
import { getServiceProof } from "../../schemas/discovery/service-proof.ts"
import type { DeliveryDeps } from "../delivery/deps.ts"
import type { PaidProduct } from "../delivery/sale.ts"
import type { AcpDeps, IssuerPlaces, JobProduct } from "../jobs/deps.ts"
import type { JobSettings } from "../jobs/job-settings.ts"
import type { JobRail } from "../jobs/open-jobs.ts"
import type { KeyRing } from "../keys/key-ring.ts"
import { jobProduct } from "../products/us/payment-decision/job-product.ts"
import type { PaymentDecisionDeps } from "../products/us/payment-decision/routes.ts"

export interface JobRailSeams extends Pick<PaymentDecisionDeps, "sources" | "registers"> {
  readonly delivery: DeliveryDeps
  readonly product: PaidProduct
  readonly keys: KeyRing
  readonly writer: AcpDeps["writer"]
}

export async function jobRailOf(
  settings: JobSettings,
  { delivery, product, keys, writer, ...given }: JobRailSeams,
): Promise<JobRail> {
  const { openJobs } = await import("../jobs/open-jobs.ts")
  const { store, baseUrl } = delivery
  const sold: JobProduct = jobProduct({ store, baseUrl, product, ...given })
  const issuer: IssuerPlaces = {
    publicKeyOf: async (keyId) => {
      // Another process may have signed with a key that is newer than this ring.
      if (!keys.find(keyId)) await keys.refresh()
      return keys.find(keyId)?.x ?? null
    },
    jwksPath: getServiceJwks.path,
    revocationPath: getServiceProof.path,
  }
  return openJobs({ settings, delivery, sold, issuer, writer })
}
