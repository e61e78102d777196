/** What the person gave: files, pasted texts and values. */
import type { GivenFile } from "../../offline/given/given-files.ts"
import { type FileField, type FileName, MAIN_FILES, MORE_FILES, TEXTS, type TextName } from "./fields.ts"
import { checkbox, element, fileInput, pasteArea, textValue } from "./page-elements.ts"
import type { Given } from "./page-verdict.ts"
import { readFiles } from "./read-files.ts"

interface FormGiven extends Given {
  /** The keys are those that came with the page. */
  readonly isServersWord: boolean
  /** Something was given besides the document and the keys. */
  readonly usesMore: boolean
}

/** Reads all fields at once and then the contents of the files. Throws InputError for files that the page cannot use. */
export async function readForm(): Promise<FormGiven> {
  const isServersWord = checkbox("serverKeys").checked
  const isSandbox = checkbox("sandbox").checked
  const texts = givenTexts()
  const chosen = [...MAIN_FILES, ...MORE_FILES].flatMap((field) => {
    const files = field.name === "issuer" && isServersWord ? [serverKeys()] : filesIn(field)
    return files.map((file) => ({ name: field.name, file }))
  })
  const read = await readFiles(chosen.map(({ file }) => file))
  const files: Partial<Record<FileName, readonly GivenFile[]>> = {}
  for (const [at, { name }] of chosen.entries()) files[name] = [...(files[name] ?? []), read[at] as GivenFile]
  const usesMore = isSandbox || Object.keys(texts).length > 0 || MORE_FILES.some(({ name }) => name in files)
  return { files, texts, isSandbox, isServersWord, usesMore }
}

function givenTexts(): Given["texts"] {
  const texts: Partial<Record<TextName, string>> = {}
  for (const { name } of TEXTS) {
    const value = textValue(name)
    if (value !== "") texts[name] = value
  }
  return texts
}

function filesIn({ name, flag, takesText }: FileField): readonly File[] {
  const pasted = takesText ? pasteArea(name).value : ""
  return pasted === "" ? [...(fileInput(name).files ?? [])] : [new File([pasted], flag)]
}

function serverKeys(): File {
  return new File([element("serverJwks").textContent], "the keys of this page")
}
