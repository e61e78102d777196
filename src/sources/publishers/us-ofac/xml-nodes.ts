/** Turns the repeated element of an XML list into small trees, one at a time, so that a 30 MB file is never held as one document. */

import { SaxesParser } from "saxes"
import type { ReadText } from "../../records/unseen-characters.ts"

export interface XmlNode {
  readonly name: string
  readonly line: number
  text: string
  /** The text as written, if it differs. */
  printed?: string
  readonly children: XmlNode[]
}

export interface XmlReading {
  readonly root: string | null
  /** The first fault: `CUT` if the text ended too early, `SYNTAX` for anything else. */
  readonly fault: { readonly kind: "CUT" | "SYNTAX"; readonly line: number } | null
}

/** Deeper than any list. Stops a file that was made to exhaust memory. */
const DEPTH_MAX = 16

const CHUNK = 65_536

/**
 * Calls `onChild` for each element directly below the root, with all its descendants. `readText` converts the text of each element, because
 * a character may be written as a reference.
 */
export function readXml(text: string, onChild: (node: XmlNode) => void, readText: ReadText): XmlReading {
  const parser = new SaxesParser({ position: true })
  const open: XmlNode[] = []
  let root: string | null = null
  let fault: XmlReading["fault"] = null
  let closing = false
  const fail = () => {
    fault ??= { kind: closing ? "CUT" : "SYNTAX", line: parser.line }
  }
  parser.on("error", fail)
  parser.on("opentag", (tag) => {
    if (fault) return
    root ??= tag.name
    const node: XmlNode = { name: tag.name, line: parser.line, text: "", children: [] }
    // The root collects no children: each child is passed on and released.
    if (open.length > 1) open.at(-1)?.children.push(node)
    open.push(node)
    if (open.length > DEPTH_MAX) fail()
  })
  parser.on("text", (piece) => {
    const node = open.at(-1)
    if (node) node.text += piece
  })
  parser.on("closetag", () => {
    const node = open.pop()
    if (node) {
      const written = node.text
      node.text = readText(written)
      if (node.text !== written) node.printed = written
    }
    if (node && open.length === 1 && !fault) onChild(node)
  })
  for (let at = 0; at < text.length && !fault; at += CHUNK) parser.write(text.slice(at, at + CHUNK))
  closing = true
  if (!fault) parser.close()
  return { root, fault }
}

/** Returns the trimmed text of a direct child, or `""` if it is absent. */
export function textOf(node: XmlNode, name: string): string {
  return node.children.find((child) => child.name === name)?.text.trim() ?? ""
}

/** Returns the items of a list element: `<akaList><aka/>...`. */
export function itemsOf(node: XmlNode, list: string): readonly XmlNode[] {
  return node.children.find((child) => child.name === list)?.children ?? []
}
