/** Every view of one document: `show` as text and page, `verify` as text and JSON, the page `/verify`, and the desk. */
import type { Case } from "../../schemas/case.ts"
import { caseBlocks } from "../../src/case/words/print-case.ts"
import { jsonMembers } from "../../src/cli/documents/verify-report.ts"
import { NATIVE_CRYPTO } from "../../src/core/crypto/native-crypto.ts"
import { type JsonValue, readJson } from "../../src/core/strict-json.ts"
import { answerBand, answerParts } from "../../src/desk/pages/case-page.ts"
import type { Known, VerifyInputs } from "../../src/offline/given/verify-inputs.ts"
import { verifyFile } from "../../src/offline/verify-file.ts"
import { TEXT_WIDTH, textReport } from "../../src/offline/words/verdict-text.ts"
import { documentPage } from "../../src/pages/document-page.ts"
import { html } from "../../src/pages/html.ts"
import { bandPart, caseParts } from "../../src/pages/parts/case-parts.ts"
import { judge } from "../../src/pages/verify/judge.ts"
import type { PageVerdict } from "../../src/pages/verify/page-verdict.ts"
import { describeDocument } from "../../src/pages/views/describe.ts"
import { printView } from "../../src/pages/views/print-view.ts"
import type { DocumentView } from "../../src/pages/views/view.ts"
import { htmlOf } from "../../src/pages/write-part.ts"
import { ANSWER_RULES } from "../../src/products/products.ts"
import { paymentDecisionRules } from "../../src/products/us/payment-decision/replay-rules.ts"

const KNOWN: Known = { crypto: NATIVE_CRYPTO, answers: ANSWER_RULES, decision: paymentDecisionRules }

export interface Views {
  readonly view: DocumentView
  readonly showText: string
  readonly showPage: string
  readonly verifyText: string
  readonly verifyJson: ReturnType<typeof jsonMembers>
  readonly page: PageVerdict
  /** The band and the case of the page `/verify`, as markup. */
  readonly verifyPage: string
  /** The band and the case of the desk, as markup. Null without a case. */
  readonly deskPage: string | null
}

/** A document, the keys to verify it with, and what else is given. Texts are file contents. */
export interface Given {
  readonly document: Uint8Array
  readonly issuer: string | Uint8Array
  readonly capsule?: Uint8Array | null
  /** The clock, in milliseconds. */
  readonly now: number
  /** RFC 3339 time to judge at in place of the clock. */
  readonly at?: string
}

const bytesOf = (text: string | Uint8Array) => (typeof text === "string" ? new TextEncoder().encode(text) : text)

export async function viewsOf(given: Given): Promise<Views> {
  const { document, capsule, now, at } = given
  const file = (name: string, bytes: Uint8Array) => ({ name, bytes })
  const issuer = file("issuer.jwks.json", bytesOf(given.issuer))
  const own = capsule ? file("answer.capsule", capsule) : null
  const inputs: VerifyInputs = {
    document: async () => file("document.json", document),
    read: async (flag) => (flag === "issuer" ? issuer : flag === "capsule" ? own : null),
    listed: async () => [],
    text: (flag) => (flag === "at" ? at : undefined),
    isGiven: (flag) => flag === "issuer" || (flag === "capsule" && own !== null) || (flag === "at" && at !== undefined),
    reformatted: false,
  }
  const judged = await verifyFile(inputs, KNOWN, now)
  const files = { document: [file("document.json", document)], issuer: [issuer], ...(own && { capsule: [own] }) }
  const page = await judge({ files, texts: at === undefined ? {} : { at }, isSandbox: false }, now)
  const view = describeDocument(readJson(document) as JsonValue, document)
  if (view === null) throw new Error("show does not know the document")
  const unchecked = { title: view.kind, hasLinks: true, note: html``, authenticity: { state: "UNCHECKED" } } as const
  const band = { above: "", authenticity: page.title, heading: "h2" } as const
  return {
    view,
    showText: printView(view, TEXT_WIDTH, "bizauth verify FILE"),
    showPage: documentPage(view, unchecked).text,
    verifyText: textReport(judged),
    verifyJson: jsonMembers(judged),
    page,
    verifyPage: htmlOf(
      ...(page.headline ? [bandPart({ ...band, headline: page.headline })] : []),
      ...(page.case ? caseParts(page.case, { heading: "h3", reasonHref: null }) : []),
    ).text,
    deskPage: view.case && deskMarkup(view.case, now),
  }
}

function deskMarkup(one: Case, now: number): string {
  return answerBand(one, { number: 1, state: "open" }, now).text + answerParts(one).text
}

/** The case as every text of a command has it. */
export function caseText(one: Case): string {
  return caseBlocks(one, TEXT_WIDTH)
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")
}

/** What a reader of a page reads, on one line. */
export function wordsOf(markup: string): string {
  return markup
    .replaceAll(/<span class="label"[^>]*>[^<]*<\/span>|<wbr>/g, "")
    .replaceAll(/<\/?(?:bdi|span)[^>]*>/g, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ")
}

/** The words of a text on one line. */
export function unwrapped(text: string): string {
  return text.replaceAll(/\s+/g, " ")
}

/** Classes that colour something green. */
export const GREEN = /class="[^"]*\b(?:pay|good)\b(?!-)/
