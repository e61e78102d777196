/** Text of strangers in a document stays text: on every page and on a terminal, whether the document was verified or not. */
import { describe, expect, test } from "bun:test"
import type { StoredEntry } from "../../schemas/entry-details.ts"
import { SECOND } from "../../src/core/time.ts"
import { documentPage } from "../../src/pages/document-page.ts"
import { html } from "../../src/pages/html.ts"
import { DECIDED_AT, issuerJwks } from "../fixtures/decision.ts"
import { HOSTILE_NAMES } from "../fixtures/hostile-names.ts"
import { heldByEntries, listedEntry } from "../fixtures/listed-entry.ts"
import { viewsOf } from "./views-of.ts"

/** The text in every place where a publisher, a supplier or a list may write one. */
function everywhere(text: string): Uint8Array {
  const printed = [{ text, note: text }]
  const labelled = [{ label: text, text }]
  const entry: StoredEntry = listedEntry({
    type: [text],
    list: [text],
    names: [{ text, kind: "primary", quality: "STRONG", note: text }],
    title: [text],
    programs: [text],
    measures: labelled,
    births: printed,
    identifiers: [{ label: text, value: text, country: text, issued: text, expires: text, note: text }],
    addresses: printed,
    vessel: labelled,
    linked_to: labelled,
    listing: { from: text, updated: text, until: text, by: text },
    records: [labelled],
    references: labelled,
    remarks: labelled,
    link: text,
  })
  const hit = {
    source_id: text,
    entry_id: text,
    list: text,
    programs: [text],
    matched_name: text,
    name_kind: text,
    entry,
  }
  return heldByEntries({ supplier: { legal_name: text }, hits: [hit] }).bundle
}

/** Every start tag of a page, with its attributes. A text that became markup would be one that no page has. */
function elementsOf(markup: string): { readonly tags: ReadonlySet<string>; readonly attributes: ReadonlySet<string> } {
  const [tags, attributes] = [new Set<string>(), new Set<string>()]
  new HTMLRewriter()
    .on("*", {
      element(element) {
        tags.add(element.tagName)
        for (const [name] of element.attributes) attributes.add(name)
      },
    })
    .transform(markup)
  return { tags, attributes }
}

/** What turns, moves or hides text on a terminal. */
const UNPRINTABLE = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u

const plain = await viewsOfText("Quiet Cove Marine LLC")

test("a joiner inside a Persian word is part of it, and nothing else that is not seen is", async () => {
  const name = "شرکت حمل\u200cونقل \u202eLtd\u200d"
  const { showText, showPage, verifyText, verifyPage } = await viewsOfText(name)
  for (const output of [showText, showPage, verifyText, verifyPage]) {
    expect(output).toContain("حمل\u200cونقل")
    expect(UNPRINTABLE.test(output.replaceAll("حمل\u200cونقل", ""))).toBe(false)
  }
})

function viewsOfText(text: string) {
  return viewsOf({ document: everywhere(text), issuer: JSON.stringify(issuerJwks()), now: DECIDED_AT + SECOND })
}

describe.each(Object.entries(HOSTILE_NAMES))("%s", async (_, text) => {
  const { view, showText, showPage, verifyText, verifyPage, verifyJson } = await viewsOfText(text)
  const delivered = documentPage(view, {
    title: "Delivered answer",
    hasLinks: true,
    note: html``,
    authenticity: { state: "ISSUED", now: DECIDED_AT },
  }).text

  test("is in a genuine document, which is held", () => {
    expect([verifyJson.genuine, verifyJson.headline]).toEqual(["GENUINE", "Do not pay: hold"])
    expect(verifyJson.case?.hits[0]?.matched_name).toBe(text)
  })

  test("makes no element and no attribute that the page does not have without it", () => {
    for (const [page, usual] of [
      [showPage, plain.showPage],
      [verifyPage, plain.verifyPage],
      [delivered, plain.showPage],
    ] as const) {
      const [{ tags, attributes }, known] = [elementsOf(page), elementsOf(usual)]
      expect(known.tags.has("table") && known.attributes.has("class")).toBe(true)
      expect([...tags].filter((tag) => !known.tags.has(tag))).toEqual([])
      expect([...attributes].filter((name) => !known.attributes.has(name))).toEqual([])
      expect(UNPRINTABLE.test(page)).toBe(false)
    }
  })

  test("leads nobody anywhere", () => {
    const links = [showPage, verifyPage, delivered].flatMap((page) => [...page.matchAll(/href="([^"]*)"/g)])
    expect(links.filter(([, href = ""]) => !/^\/docs\/reasons\/[A-Z_]+$/.test(href))).toEqual([])
  })

  test("changes nothing on a terminal", () => {
    for (const output of [showText, verifyText]) expect(UNPRINTABLE.test(output)).toBe(false)
  })
})
