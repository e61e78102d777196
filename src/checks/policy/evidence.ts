import type { Observation } from "../../../schemas/observation.ts"
import { type Digest, digestOf } from "../../core/digest.ts"

interface EvidenceBundle {
  readonly digest: Digest
  /** Ids in the order of the digested observations. */
  readonly references: string[]
}

/** Sorts observations by id and removes duplicates. The digest covers the complete observations; the references are their ids. */
export function evidenceBundle(observations: readonly Observation[]): EvidenceBundle {
  const byId = new Map(observations.map((observation) => [observation.evidence_id, observation]))
  const references = [...byId.keys()].sort()
  return { digest: digestOf(references.map((id) => byId.get(id))), references }
}
