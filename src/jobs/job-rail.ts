import { getServiceJwks } from "../../schemas/discovery/jwks.ts"
import { getServiceProof } from "../../schemas/discovery/service-proof.ts"
import type { DeliveryDeps } from "../delivery/deps.ts"
import type { AcpDeps, IssuerPlaces, JobProduct } from "./deps.ts"
import type { JobSettings } from "./job-settings.ts"
import type { JobRail } from "./open-jobs.ts"

interface JobRailSeams {
  readonly delivery: DeliveryDeps
  readonly sold: JobProduct
  /** The service's own keys. */
  readonly keys: {
    find(keyId: string): { readonly x: string } | undefined
    /** Reads the keys again if another process may have changed them. */
    refresh(): Promise<unknown>
  }
  readonly writer: AcpDeps["writer"]
}

/** Opens the job rail, which is loaded only with settings, with the places where the service publishes its keys. */
export async function jobRailOf(settings: JobSettings, { keys, ...parts }: JobRailSeams): Promise<JobRail> {
  const { openJobs } = await import("./open-jobs.ts")
  const issuer: IssuerPlaces = {
    publicKeyOf: async (keyId) => {
      // Another process may have signed with a key that is newer than this ring.
      if (!keys.find(keyId)) await keys.refresh()
      return keys.find(keyId)?.x ?? null
    },
    jwksPath: getServiceJwks.path,
    revocationPath: getServiceProof.path,
  }
  return openJobs({ ...parts, settings, issuer })
}
