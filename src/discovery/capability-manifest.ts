import { readClaim } from "../../schemas/agent-id/claim.ts"
import {
  type CapabilityManifest,
  type CapabilityManifestPayload,
  OPENAPI_PATH,
} from "../../schemas/discovery/capability-manifest.ts"
import type { Operation } from "../../schemas/operation.ts"
import { CANONICALIZATION } from "../core/canonical-json.ts"
import type { Digest } from "../core/digest.ts"
import { pathTemplate } from "../core/discovery/path-template.ts"
import { signedAnswer } from "../core/signer.ts"
import { formatInstant, HOUR } from "../core/time.ts"
import { coverageLines } from "./coverage-lines.ts"
import { externalChannels } from "./external-channels.ts"
import type { SignedParts } from "./parts.ts"
import { productPrice } from "./product-price.ts"
import { type SoldOperation, soldOperations } from "./sold.ts"

const VALID_MS = 24 * HOUR

/** CHOICE: the limits of what the manifest says, as codes. */
const LIMITATIONS = [
  "RUNTIME_DESCRIPTOR_NOT_INDEXING_PROOF",
  "SALE_STATE_NOT_INCLUDED",
  "NO_PAYMENT_EXECUTION",
  "VALID_ONLY_WITHIN_WINDOW",
]

/** A printed document as the manifest lists it. */
export interface ListedDocument {
  readonly path: string
  readonly mediaType: string
  /** Digest of its exact bytes. */
  readonly digest: Digest
}

/** Prints and signs the manifest. `documents`: every other document of the generation, ordered by path. */
export function capabilityManifest(parts: SignedParts, documents: readonly ListedDocument[]): CapabilityManifest {
  const { baseUrl, operations, network, signer, at } = parts
  const sold = soldOperations(operations)
  const openapi = documents.find(({ path }) => path === OPENAPI_PATH)
  const payload: CapabilityManifestPayload = {
    domain: "svc.capability-manifest.v1",
    schema_version: "1.0.0",
    manifest_version: "1.0.0",
    base_url: baseUrl,
    issuer: signer.issuer,
    issued_at: formatInstant(at),
    valid_until: formatInstant(at + VALID_MS),
    openapi: openapi ? { version: "3.0.0", digest: openapi.digest } : null,
    canonicalization: { name: CANONICALIZATION, definition_uri: `${baseUrl}${readClaim.path}` },
    products: sold.map((row) => productLine(row, network)),
    operations: operations.map(operationLine),
    discovery_documents: documents.map(({ path, mediaType, digest }) => ({ path, media_type: mediaType, digest })),
    external_index_channels: externalChannels(),
    data_policy: { private_keys_accepted: false, raw_bank_data_accepted: false, identity_directory: false },
    coverage: coverageLines(sold),
    limitations: LIMITATIONS,
  }
  return signedAnswer(signer, payload)
}

function productLine(row: SoldOperation, network: string): CapabilityManifestPayload["products"][number] {
  const { id, method, path, lifecycle, product } = row
  return {
    product_id: product.id,
    solution_id: product.solution,
    operation_id: id,
    method,
    route: path,
    jurisdiction: product.jurisdiction,
    price: productPrice(row),
    network,
    lifecycle,
  }
}

function operationLine(row: Operation): CapabilityManifestPayload["operations"][number] {
  return {
    operation_id: row.id,
    method: row.method,
    path: pathTemplate(row.path),
    authentication: row.authentication,
    charge: row.price !== null && row.price.amount !== "0",
    external_source_calls: row.queriesSources === true,
    lifecycle: row.lifecycle,
  }
}
