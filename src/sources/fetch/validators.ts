/** The validators of conditional requests, as one row of `source_check` stores them. */

export interface KnownFile {
  readonly name: string
  readonly url: string
  readonly etag: string | null
  readonly last_modified: string | null
  readonly bytes: number
}

export function writeValidators(files: readonly KnownFile[]): string {
  return JSON.stringify(
    files.map(({ name, url, etag, last_modified, bytes }) => ({ name, url, etag, last_modified, bytes })),
  )
}

/** Parses the text of a row that this service wrote. */
export function readValidators(text: string): readonly KnownFile[] {
  return JSON.parse(text) as readonly KnownFile[]
}
