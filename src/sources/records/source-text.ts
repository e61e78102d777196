import type { Finding, SourceFile } from "./adapter.ts"
import { hard, soft } from "./findings.ts"

/** Bytes looked at to tell a list from the page a portal or proxy sends in its place. */
const HEAD_BYTES = 64

export function baseName(name: string): string {
  return name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1)
}

/** The file with one of these names, without regard to case and folder. */
export function findFile(files: readonly SourceFile[], ...names: string[]): SourceFile | undefined {
  const wanted = new Set(names.map((name) => name.toLowerCase()))
  return files.find((file) => wanted.has(baseName(file.name).toLowerCase()))
}

/** The text of the one CSV file of a publication, or why there is none. A file alone is meant, whatever its name: people rename downloads. */
export function onlyCsv(
  files: readonly SourceFile[],
  name: string,
  bytesMax: number,
): { readonly file: SourceFile; readonly text: string; readonly findings: Finding[] } | { readonly refusal: Finding } {
  const file = findFile(files, name) ?? (files.length === 1 ? files[0] : undefined)
  if (!file) return { refusal: hard("MISSING_FILE", `${name} is not among the files`, name) }
  const refusal = notCsv(file, bytesMax)
  return refusal ? { refusal } : { file, ...decodeText(file.bytes, file.name) }
}

/** Why these bytes cannot be a CSV list: empty, too large, or markup, JSON or an archive in its place. Null when they may be. */
export function notCsv(file: SourceFile, bytesMax: number): Finding | null {
  const sized = badSize(file, bytesMax)
  if (sized) return sized
  const head = headOf(file.bytes)
  return /^(?:[<{[]|PK)/.test(head) ? notData(file, "a CSV list") : null
}

export function notXml(file: SourceFile, bytesMax: number): Finding | null {
  const sized = badSize(file, bytesMax)
  if (sized) return sized
  const head = headOf(file.bytes)
  return head.startsWith("<") && !/<html|<!doctype html/i.test(head) ? null : notData(file, "an XML list")
}

export function notZip(file: SourceFile, bytesMax: number): Finding | null {
  const sized = badSize(file, bytesMax)
  if (sized) return sized
  return headOf(file.bytes).startsWith("PK") ? null : notData(file, "a ZIP archive")
}

/** UTF-8 text without a byte order mark; bytes that are no UTF-8 are replaced and reported. */
export function decodeText(bytes: Uint8Array, file: string): { readonly text: string; readonly findings: Finding[] } {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), findings: [] }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const text = new TextDecoder("utf-8").decode(bytes)
    return { text, findings: [soft("ENCODING", "not UTF-8: unreadable bytes were replaced", file)] }
  }
}

function headOf(bytes: Uint8Array): string {
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
