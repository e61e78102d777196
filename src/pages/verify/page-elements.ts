/** Finds the elements of the page. An element that is missing or of another type is a bug of the page. */

import type { PagePart } from "../parts/page-part.ts"
import { fileId, ID, pasteId, textId } from "./element-ids.ts"
import type { FileName, TextName } from "./fields.ts"

function elementOf<E extends HTMLElement>(id: string, type: new () => E): E {
  const found = document.getElementById(id)
  if (!(found instanceof type)) throw new TypeError(`the page has no such element: ${id}`)
  return found
}

export const element = (name: keyof typeof ID): HTMLElement => elementOf(ID[name], HTMLElement)
export const checkbox = (name: "ownKeys" | "serverKeys" | "sandbox") => elementOf(ID[name], HTMLInputElement)
export const form = () => elementOf(ID.form, HTMLFormElement)
export const anyFiles = () => elementOf(ID.anyFiles, HTMLInputElement)
export const details = () => elementOf(ID.more, HTMLDetailsElement)
export const fileInput = (name: FileName) => elementOf(fileId(name), HTMLInputElement)
export const pasteArea = (name: FileName) => elementOf(pasteId(name), HTMLTextAreaElement)

/** A new element. Every text becomes a text node, so a name in a file stays text. */
export function made(tag: string, ...content: readonly (string | Node)[]): HTMLElement {
  const node = document.createElement(tag)
  node.append(...content)
  return node
}

/** The same for pieces of a page. */
export function nodesOf(parts: readonly PagePart[]): (string | Node)[] {
  return parts.map((part) => {
    if (typeof part === "string") return part
    const node = made(part.tag, ...nodesOf(part.inside))
    for (const [name, value] of Object.entries(part.attributes)) node.setAttribute(name, value)
    return node
  })
}

/** The value of a text field without the space around it. */
export function textValue(name: TextName): string {
  const found = document.getElementById(textId(name))
  if (found instanceof HTMLSelectElement || found instanceof HTMLInputElement) return found.value.trim()
  throw new TypeError(`the page has no such element: ${textId(name)}`)
}
