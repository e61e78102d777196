/** What the person gave: files, pasted texts and values. */
import type { GivenFile } from "../catalogue/given-files.ts"
import { type FileField, type FileName, MAIN_FILES, MORE_FILES, TEXTS, type TextName } from "./fields.ts"
import { checkbox, element, fileInput, pasteArea, textValue } from "./page-elements.ts"
import type { Given } from "./page-verdict.ts"
import { readFiles, requireFewFiles } from "./read-files.ts"

const utf8 = new TextEncoder()

export interface FormGiven extends Given {
  /** The keys are those that came with the page. */
  readonly isServersWord: boolean
}

/** Throws InputError for files that the page cannot use. */
export async function readForm(): Promise<FormGiven> {
  const fields = [...MAIN_FILES, ...MORE_FILES]
  requireFewFiles(fields.reduce((sum, { name }) => sum + (fileInput(name).files?.length ?? 0), 0))
  const isServersWord = checkbox("serverKeys").checked
  const files: Partial<Record<FileName, readonly GivenFile[]>> = {}
  for (const field of fields) {
    const given = field.name === "issuer" && isServersWord ? [serverKeys()] : await filesIn(field)
    if (given.length > 0) files[field.name] = given
  }
  const texts: Partial<Record<TextName, string>> = {}
  for (const { name } of TEXTS) {
    const value = textValue(name)
    if (value !== "") texts[name] = value
  }
  return { files, texts, isSandbox: checkbox("sandbox").checked, isServersWord }
}

async function filesIn({ name, flag, takesText }: FileField): Promise<readonly GivenFile[]> {
  const pasted = takesText ? pasteArea(name).value : ""
  return readFiles(pasted === "" ? [...(fileInput(name).files ?? [])] : [new File([pasted], flag)])
}

function serverKeys(): GivenFile {
  return { name: "the keys of this page", bytes: utf8.encode(element("serverJwks").textContent) }
}
