/** `SHA256SUMS`, as `sha256sum` of the GNU core utilities writes and checks it: a digest, two spaces and a file name on each line. */

const LINE = /^([0-9a-f]{64}) [ *]([A-Za-z0-9][A-Za-z0-9._+~-]*)$/

/** Digest as 64 lower-case hexadecimal digits, by file name. */
export type Sums = ReadonlyMap<string, string>

/** In the order of the names. */
export function sumsText(sums: Sums): string {
  const lines = [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1))
  return lines.map(([name, digest]) => `${digest}  ${name}\n`).join("")
}

/** Null if a line has another form, or a name occurs twice. */
export function readSums(text: string): Sums | null {
  const sums = new Map<string, string>()
  for (const line of text.trimEnd().split("\n")) {
    const [, digest, name] = LINE.exec(line) ?? []
    if (digest === undefined || name === undefined || sums.has(name)) return null
    sums.set(name, digest)
  }
  return sums
}
