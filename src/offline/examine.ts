import { Report } from "./report.ts"

/** One kind of document: how it is opened, and the steps that judge it, in order. */
export interface Kind<Given, Document> {
  /** Reads a document of the kind. Returns null after reporting why there is nothing to judge. */
  readonly open: (given: Given, report: Report) => Document | null
  readonly steps: readonly Step<Given, Document>[]
}

/** A step adds its findings to the report. */
export type Step<Given, Document> = (examined: Examined<Given, Document>) => void

interface Examined<Given, Document> {
  readonly report: Report
  readonly document: Document
  readonly given: Given
}

interface Examination<Document> {
  readonly report: Report
  /** Null when the document could not be opened. */
  readonly document: Document | null
}

/** Opens a document and takes every step, so that the report is complete. `reformatted` as in {@link Report}. */
export function examine<Given extends { readonly reformatted: boolean }, Document>(
  { open, steps }: Kind<Given, Document>,
  given: Given,
): Examination<Document> {
  const report = new Report(given.reformatted)
  const document = open(given, report)
  if (document !== null) for (const step of steps) step({ report, document, given })
  return { report, document }
}
