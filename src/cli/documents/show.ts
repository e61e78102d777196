import { ANSWER_PRODUCTS } from "../../../schemas/products.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { headlineOf } from "../../case/words/headline.ts"
import { documentKind } from "../../offline/kinds/document-kinds.ts"
import { recogniseFile } from "../../offline/kinds/recognise-file.ts"
import { Report } from "../../offline/report.ts"
import { readDocument } from "../../offline/steps/read.ts"
import { documentPage } from "../../pages/document-page.ts"
import { html } from "../../pages/html.ts"
import { singleFile } from "../../pages/single-file.ts"
import { describeDocument } from "../../pages/views/describe.ts"
import { printView } from "../../pages/views/print-view.ts"
import type { Command } from "../command.ts"
import { shellWord } from "../rows.ts"
import { readDocumentBytes } from "./read-document.ts"
import { textWidth } from "./text-width.ts"

/** Offline, and without a key. */
export const command: Command = {
  name: "show",
  summary: "show a document in words: decision, what to do, reasons, facts, sources; it verifies nothing",
  operands: "FILE",
  flags: {
    html: { help: "print a page that needs no server, for a browser" },
  },
  examples: ["show ./delivery.json", "show ./delivery.json --html"],
  run: async (input) => {
    const [path = "-"] = input.operands
    if (input.on("html") && input.on("json")) throw new CommandError(EXIT.USAGE, "give --html or --json, not both")
    const bytes = await readDocumentBytes(path)
    const report = new Report()
    const value = readDocument(bytes, report)
    if (value === undefined)
      throw new CommandError(EXIT.NOT_CHECKED, `${path}: ${report.lines[0]?.detail ?? "unreadable"}`)
    const view = describeDocument(value, bytes)
    if (view === null) throw new CommandError(EXIT.NOT_CHECKED, `${path}: ${UNKNOWN}`)
    const verify = verifyCommand(path, bytes)
    if (input.on("html")) {
      const note = html`<p>This page shows the document. It does not verify it: <code>${verify}</code></p>`
      const title = view.kind.charAt(0).toUpperCase() + view.kind.slice(1)
      input.out(
        singleFile(title, documentPage(view, { title, hasLinks: false, note, authenticity: { state: "UNCHECKED" } })),
      )
    } else {
      const headline = view.case && headlineOf(view.case, { state: "UNCHECKED" }).words
      const text = printView(view, textWidth(input.environment), verify)
      input.result({ headline, ...view, verified: false, verify }, text)
    }
    return EXIT.DONE
  },
}

const UNKNOWN =
  "not a document that this program knows; it knows deliveries, answers, bundles, capsules, passports, deliverables of ACP jobs, manifests, service proofs, requests, quotes, error responses, key sets and identity bundles"

/** The command that verifies a file of this kind. */
function verifyCommand(path: string, bytes: Uint8Array): string {
  const file = shellWord(path)
  const found = recogniseFile(bytes, ANSWER_PRODUCTS)
  if (documentKind(bytes) === "SANDBOX") return `bizauth verify ${file} --sandbox --issuer SANDBOX_KEY`
  if (found?.place === "--capsule") return `bizauth verify ANSWER --capsule ${file} --issuer JWKS`
  if (found?.place === "FILE") return `bizauth verify ${file} --issuer JWKS`
  if (found?.what === "a bundle of an agent identity") return `bizauth agent verify-bundle ${file}`
  return "no command verifies a file of this kind by itself"
}
