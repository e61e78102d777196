/**
 * A publication that is a single file, plain or the only matching entry of a ZIP archive. It is read from its path and never held whole in
 * memory.
 */
import { ZipFault } from "../formats/zip-directory.ts"
import { listArchive } from "../formats/zip-stream.ts"
import type { Finding } from "../records/adapter.ts"
import { hard, soft } from "../records/findings.ts"
import type { RegisterFile } from "../records/register-adapter.ts"
import { baseName, HEAD_BYTES } from "../records/source-text.ts"
import { fileHead, type PlainOrZipped } from "./plain-or-zipped.ts"

export interface SoleFile extends PlainOrZipped {
  /** Name of the file inside the archive, or of the plain file: the publisher's name, unless somebody renamed it. */
  readonly name: string
}

interface SoleFileKind {
  /** Pattern for the file inside an archive. */
  readonly name: RegExp
  /** Term for the publication in a finding. */
  readonly what: string
  /** Pattern of first bytes, after white space, that belong to another format. */
  readonly foreign: RegExp
  readonly bytesMax: number
}

const ENTRIES_MAX = 16

/** `sole` is null if a finding is hard. */
export function soleFile(
  files: readonly RegisterFile[],
  kind: SoleFileKind,
): { readonly sole: SoleFile | null; readonly findings: readonly Finding[] } {
  const [file, ...others] = files
  if (!file) return { sole: null, findings: [hard("MISSING_FILE", `no ${kind.what}`)] }
  if (others.length > 0) {
    const detail = `${files.length} files, where a publication is one ${kind.what}`
    return { sole: null, findings: [hard("MIXED_PUBLICATION", detail)] }
  }
  const found = recognize(file, kind)
  return "code" in found ? { sole: null, findings: [found] } : { sole: found, findings: renamed(found) }
}

/** Returns `<16 hex>#<rows>`, for a publication that states no other version. */
export function contentName({ file }: SoleFile, rows: number): string {
  return `${file.sha256.slice(0, 16)}#${rows}`
}

function recognize(file: RegisterFile, { name, what, foreign, bytesMax }: SoleFileKind): SoleFile | Finding {
  if (file.bytes === 0) return hard("TRUNCATED", "the file is empty", file.name)
  const head = fileHead(file.path)
  if (!head.startsWith("PK")) {
    if (file.bytes > bytesMax) return hard("TOO_LARGE", `${file.bytes} bytes, at most ${bytesMax}`, file.name)
    if (foreign.test(head))
      return hard("NOT_DATA", `the first ${HEAD_BYTES} bytes are not those of a ${what}`, file.name)
    return { file, entry: null, name: baseName(file.name) }
  }
  try {
    const entries = listArchive(file.path, { entriesMax: ENTRIES_MAX, bytesMax }).filter((one) => name.test(one.name))
    const [entry] = entries
    if (!entry) return hard("MISSING_FILE", `the archive holds no ${what}`, file.name)
    if (entries.length > 1) return hard("MIXED_PUBLICATION", `the archive holds more than one ${what}`, file.name)
    return { file, entry, name: baseName(entry.name) }
  } catch (error) {
    if (error instanceof ZipFault) return hard(error.code, error.message, file.name)
    throw error
  }
}

/** Reports if the days in the two names differ: one of the names is then wrong. */
function renamed({ file, entry, name }: SoleFile): Finding[] {
  const [inside] = /\d{8}/.exec(name) ?? []
  const [outside] = /\d{8}/.exec(baseName(file.name)) ?? []
  if (entry === null || !inside || !outside || inside === outside) return []
  return [
    soft("UNUSED_FILE", "its name and that of the file inside say different days; the one inside counts", file.name),
  ]
}
