/** The documents whose exact bytes a signed document of the service lists by digest. */
import type { CapabilityManifestPayload } from "../../../schemas/discovery/capability-manifest.ts"
import type { ServiceProofPayload } from "../../../schemas/discovery/service-proof.ts"

export interface ListedDigest {
  readonly path: string
  readonly digest: string
}

export function listedByManifest({ discovery_documents }: CapabilityManifestPayload): readonly ListedDigest[] {
  return discovery_documents
}

export function listedByServiceProof(payload: ServiceProofPayload): readonly ListedDigest[] {
  const { capability_manifest_digest: manifest, openapi_digest: openapi } = payload
  return [
    { path: "/.well-known/svc-capabilities.json", digest: manifest },
    ...(openapi === null ? [] : [{ path: "/v1/openapi.json", digest: openapi }]),
  ]
}
