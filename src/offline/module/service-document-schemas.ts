/** Runs at build time (a Bun macro), like `bundle-schema.ts`. */
import { CapabilityManifest } from "../../../schemas/discovery/capability-manifest.ts"
import { PublishedJwk } from "../../../schemas/discovery/jwks.ts"
import { ServiceProof } from "../../../schemas/discovery/service-proof.ts"

const SCHEMAS = { manifest: CapabilityManifest, serviceProof: ServiceProof, publishedJwk: PublishedJwk }

export function serviceDocumentSchemas(): typeof SCHEMAS {
  return JSON.parse(JSON.stringify(SCHEMAS)) as typeof SCHEMAS
}
