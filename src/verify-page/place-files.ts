/** The field of each file that was dropped or chosen together with others, by its content. */
import { documentKind } from "../catalogue/document-kind.ts"
import { recogniseFile } from "../catalogue/recognise-file.ts"
import { readDocument } from "../documents/read-document.ts"
import { Report } from "../documents/report.ts"
import { pinnedSandboxKey } from "../documents/verify-sandbox-artifact.ts"
import type { FileName } from "./fields.ts"

export interface Placed<File> {
  readonly fields: ReadonlyMap<FileName, readonly File[]>
  /** Files for which no field is left. */
  readonly leftOver: readonly File[]
}

function fieldOf(bytes: Uint8Array): FileName | undefined {
  const field = FIELDS[recogniseFile(bytes)?.place ?? ""]
  if (field !== undefined) return field
  const value = readDocument(bytes, new Report())?.value
  return value !== undefined && pinnedSandboxKey(value) ? "issuer" : undefined
}

const FIELDS: Readonly<Record<string, FileName>> = {
  "--issuer": "issuer",
  "--capsule": "capsule",
  "--request": "request",
  "--requirement": "requirement",
  "--job": "job",
}

/** A file of unknown kind counts as the document, because the verdict then names what is wrong with it. */
export function placeFiles<File extends { readonly bytes: Uint8Array }>(files: readonly File[]): Placed<File> {
  const fields = new Map<FileName, File[]>()
  const documents: File[] = []
  const leftOver: File[] = []
  for (const file of files) {
    const field = fieldOf(file.bytes)
    if (field === undefined) documents.push(file)
    else if (fields.has(field)) leftOver.push(file)
    else fields.set(field, [file])
  }
  const main = mainDocument(documents)
  if (main === undefined) return { fields, leftOver }
  fields.set("document", [main])
  const others = documents.filter((file) => file !== main)
  const companion = COMPANION[documentKind(main.bytes)]
  if (others.length === 0) return { fields, leftOver }
  if (companion === "listed") fields.set("listed", others)
  else if (companion === "check") fields.set("check", others.splice(0, 1))
  return { fields, leftOver: companion === "listed" ? leftOver : [...leftOver, ...others] }
}

/** The field of the other documents, by the kind of document that needs them. The first kind is the main document. */
const COMPANION: Readonly<Record<string, FileName>> = {
  PASSPORT: "check",
  SERVICE_PROOF: "listed",
  MANIFEST: "listed",
}

function mainDocument<File extends { readonly bytes: Uint8Array }>(documents: readonly File[]): File | undefined {
  const kinds: readonly string[] = documents.map(({ bytes }) => documentKind(bytes))
  const at = Object.keys(COMPANION).map((kind) => kinds.indexOf(kind))
  const known = documents.findIndex(({ bytes }) => recogniseFile(bytes)?.place === "FILE")
  return documents[[...at, known].find((index) => index >= 0) ?? 0]
}
