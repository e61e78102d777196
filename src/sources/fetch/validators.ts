/** What a conditional request is made of, as one row of `source_check` keeps it. */

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

/** Of a row we wrote ourselves. */
export function readValidators(text: string): readonly KnownFile[] {
  return JSON.parse(text) as readonly KnownFile[]
}
