import type { Finding, SourceFile } from "./adapter.ts"
import { hard, soft } from "./findings.ts"
import type { ReadText } from "./unseen-characters.ts"

/** Number of bytes examined to distinguish a list from a page of a portal or proxy. */
export const HEAD_BYTES = 64

export function baseName(name: string): string {
  return name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1)
}

/** Returns the file with one of these names; ignores case and folder. */
export function findFile(files: readonly SourceFile[], ...names: string[]): SourceFile | undefined {
  const wanted = new Set(names.map((name) => name.toLowerCase()))
  return files.find((file) => wanted.has(baseName(file.name).toLowerCase()))
}

/**
 * Returns the text of the single CSV file of a publication, or the fault. A single file is accepted under any name, because people rename
 * downloads.
 */
export function onlyCsv(
  files: readonly SourceFile[],
  name: string,
  { bytesMax, readText }: { readonly bytesMax: number; readonly readText: ReadText },
):
  | {
      readonly file: SourceFile
      readonly text: string
      /** Before `readText`. */
      readonly written: string
      readonly findings: Finding[]
    }
  | { readonly refusal: Finding } {
  const file = findFile(files, name) ?? (files.length === 1 ? files[0] : undefined)
  if (!file) return { refusal: hard("MISSING_FILE", `${name} is not among the files`, name) }
  const refusal = notCsv(file, bytesMax)
  if (refusal) return { refusal }
  const { text, findings } = decodeText(file.bytes, file.name)
  return { file, text: readText(text), written: text, findings }
}

/** Returns why these bytes cannot be a CSV list: empty, too large, or markup, JSON or an archive. Returns null if they may be one. */
export function notCsv(file: SourceFile, bytesMax: number): Finding | null {
  const sized = badSize(file, bytesMax)
  if (sized) return sized
  const head = headText(file.bytes)
  return /^(?:[<{[]|PK)/.test(head) ? notData(file, "a CSV list") : null
}

export function notXml(file: SourceFile, bytesMax: number): Finding | null {
  const sized = badSize(file, bytesMax)
  if (sized) return sized
  const head = headText(file.bytes)
  return head.startsWith("<") && !/<html|<!doctype html/i.test(head) ? null : notData(file, "an XML list")
}

export function notZip(file: SourceFile, bytesMax: number): Finding | null {
  const sized = badSize(file, bytesMax)
  if (sized) return sized
  return headText(file.bytes).startsWith("PK") ? null : notData(file, "a ZIP archive")
}

/** Decodes UTF-8 without the byte order mark. Invalid bytes are replaced and reported. */
export function decodeText(bytes: Uint8Array, file: string): { readonly text: string; readonly findings: Finding[] } {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), findings: [] }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const text = new TextDecoder("utf-8").decode(bytes)
    return { text, findings: [soft("ENCODING", "not UTF-8: unreadable bytes were replaced", file)] }
  }
}

/** Returns the first text of these bytes, without the white space before it. */
export function headText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8").decode(bytes.subarray(0, HEAD_BYTES)).trimStart()
}

function badSize(file: SourceFile, bytesMax: number): Finding | null {
  if (file.bytes.length === 0) return hard("TRUNCATED", "the file is empty", file.name)
  if (file.bytes.length <= bytesMax) return null
  return hard("TOO_LARGE", `${file.bytes.length} bytes, at most ${bytesMax} are read`, file.name)
}

function notData(file: SourceFile, expected: string): Finding {
  return hard("NOT_DATA", `the first ${HEAD_BYTES} bytes are not those of ${expected}`, file.name)
}
