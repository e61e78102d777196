/** The field of each file that was dropped or chosen together with others, by its content. */
import { ANSWER_PRODUCTS } from "../../../schemas/products.ts"
import { type DocumentKind, documentKind } from "../../offline/kinds/document-kinds.ts"
import { AGENT_BUNDLE, recogniseFile } from "../../offline/kinds/recognise-file.ts"
import { pinnedSandboxKey } from "../../offline/kinds/sandbox-artifact.ts"
import { Report } from "../../offline/report.ts"
import { readDocument } from "../../offline/steps/read.ts"
import type { FileName } from "./fields.ts"

interface Placed<File> {
  readonly fields: ReadonlyMap<FileName, readonly File[]>
  /** Files for which no field is left. */
  readonly leftOver: readonly File[]
}

interface Candidate<File> {
  readonly file: File
  readonly kind: DocumentKind
  /** The page can verify it. */
  readonly isKnown: boolean
}

const FIELDS: Readonly<Record<string, FileName>> = {
  "--issuer": "issuer",
  "--capsule": "capsule",
  "--request": "request",
  "--requirement": "requirement",
  "--job": "job",
}

/** Returns the field of a file, or what it is as a document. */
function sorted<File extends { readonly bytes: Uint8Array }>(file: File): FileName | Candidate<File> {
  const { bytes } = file
  const recognised = recogniseFile(bytes, ANSWER_PRODUCTS)
  const field = FIELDS[recognised?.place ?? ""]
  if (field !== undefined) return field
  const isPlaceless = (recognised?.place ?? null) === null
  const value = isPlaceless ? readDocument(bytes, new Report()) : undefined
  if (value !== undefined && pinnedSandboxKey(value)) return "issuer"
  const kind = documentKind(bytes)
  const isKnown = recognised?.place === "FILE" || recognised?.what === AGENT_BUNDLE || kind === "SANDBOX"
  return { file, kind, isKnown }
}

/** A file of unknown kind counts as the document, because the verdict then names what is wrong with it. */
export function placeFiles<File extends { readonly bytes: Uint8Array }>(files: readonly File[]): Placed<File> {
  const fields = new Map<FileName, File[]>()
  const documents: Candidate<File>[] = []
  const leftOver: File[] = []
  for (const file of files) {
    const place = sorted(file)
    if (typeof place !== "string") documents.push(place)
    else if (fields.has(place)) leftOver.push(file)
    else fields.set(place, [file])
  }
  const main = mainDocument(documents)
  if (main === undefined) return { fields, leftOver }
  fields.set("document", [main.file])
  const others = documents.filter((one) => one !== main).map(({ file }) => file)
  if (others.length === 0) return { fields, leftOver }
  const companion = COMPANION[main.kind]
  if (companion === "listed") fields.set("listed", others)
  else if (companion === "check") fields.set("check", others.splice(0, 1))
  return { fields, leftOver: companion === "listed" ? leftOver : [...leftOver, ...others] }
}

/** The field of the other documents, by the kind of document that needs them. The first kind is the main document. */
const COMPANION: Readonly<Partial<Record<DocumentKind, FileName>>> = {
  PASSPORT: "check",
  SERVICE_PROOF: "listed",
  MANIFEST: "listed",
}

function mainDocument<File>(documents: readonly Candidate<File>[]): Candidate<File> | undefined {
  const byKind = Object.keys(COMPANION).map((kind) => documents.findIndex((one) => one.kind === kind))
  const known = documents.findIndex(({ isKnown }) => isKnown)
  return documents[[...byKind, known].find((index) => index >= 0) ?? 0]
}
