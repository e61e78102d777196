/** The seven kinds of documents that a proof wallet takes, each with the closed schemas of the documents themselves. */
import { type Static, type TSchema, Type } from "@sinclair/typebox"
import { AgentArtifactRegistration } from "../agent-id/artifact.ts"
import { AgentExportBundle } from "../agent-id/export.ts"
import { AgentStatus } from "../agent-id/identity.ts"
import { EventReceipt } from "../agent-id/proof.ts"
import { AnswerCapsule } from "../answer-capsule.ts"
import { closed, enumeration } from "../common.ts"
import { ServiceProof } from "../discovery/service-proof.ts"
import { GB_ANSWERS } from "../products.ts"
import { CompanyPassport } from "../us/company-passport.ts"
import { ProofCapsule } from "../us/proof-capsule.ts"
import { SandboxArtifact } from "./sandbox-artifact.ts"

export const ARTIFACT_TYPES = [
  "PROOF_CAPSULE",
  "EVENT_RECEIPT",
  "STATUS_RECORD",
  "EXPORT_BUNDLE",
  "UK_DELIVERY",
  "ARTIFACT_REGISTRATION",
  "SERVICE_PROOF",
] as const
export const ArtifactType = enumeration(...ARTIFACT_TYPES)
export type ArtifactType = Static<typeof ArtifactType>

/** A paid UK answer with the capsule that came in its header. */
export const UkDelivery = closed({
  answer: Type.Union(GB_ANSWERS),
  capsule: AnswerCapsule,
})
export type UkDelivery = Static<typeof UkDelivery>

/** On a part of a request: the schema of the reply in which the caller received it. */
export const RECEIVED_AS: unique symbol = Symbol("received as")

/** In the environment SANDBOX the document is a wrapper of the same type. */
function artifact<T extends ArtifactType, D extends TSchema>(type: T, document: D) {
  const received = Type.Union([...variantsOf(document), SandboxArtifact], { description: "Unchanged, as received" })
  return closed({
    artifact_type: Type.Literal(type),
    document: { ...Type.Union([inRequest(document), inRequest(SandboxArtifact)]), [RECEIVED_AS]: received },
  })
}

function variantsOf(document: TSchema): readonly TSchema[] {
  return (document["anyOf"] as readonly TSchema[] | undefined) ?? [document]
}

/** Parts that were already made; the documents share most of them. */
const IN_REQUEST = new WeakMap<object, object>()

/**
 * The schema of a document as a part of a request. One published schema may not hold two parts of one name, and several documents contain
 * the same parts, so the names are left out. A list with a schema for each place becomes a list of any of them, which every reader of
 * JSON Schema understands; the verifier of the document checks the places.
 */
function inRequest<T>(schema: T): T {
  if (typeof schema !== "object" || schema === null) return schema
  const known = IN_REQUEST.get(schema) ?? partOfRequest(schema)
  IN_REQUEST.set(schema, known)
  return known as T
}

/** A part without names and lists of places is used as it is. */
function partOfRequest(schema: object): object {
  if (Array.isArray(schema)) {
    const parts = schema.map(inRequest)
    return parts.some((part, at) => part !== schema[at]) ? parts : schema
  }
  const { $id, items, minItems, maxItems } = schema as TSchema
  if (Array.isArray(items)) {
    const limits = { minItems: (minItems as number) ?? 0, maxItems: (maxItems as number) ?? items.length }
    return Type.Array(Type.Union(inRequest(items as TSchema[])), limits)
  }
  let copy: Record<string, unknown> | null = null
  for (const [name, part] of Object.entries(schema) as [string, unknown][]) {
    const changed = inRequest(part)
    if (changed !== part) copy = Object.assign(copy ?? { ...schema }, { [name]: changed })
  }
  if ($id === undefined) return copy ?? schema
  const { $id: _, ...unnamed } = copy ?? (schema as TSchema)
  return unnamed
}

export const WalletArtifact = Type.Union([
  artifact("PROOF_CAPSULE", Type.Union([ProofCapsule, AnswerCapsule, CompanyPassport])),
  artifact("EVENT_RECEIPT", EventReceipt),
  artifact("STATUS_RECORD", AgentStatus),
  artifact("EXPORT_BUNDLE", AgentExportBundle),
  artifact("UK_DELIVERY", UkDelivery),
  artifact("ARTIFACT_REGISTRATION", AgentArtifactRegistration),
  artifact("SERVICE_PROOF", ServiceProof),
])
export type WalletArtifact = Static<typeof WalletArtifact>
