/**
 * A long text in the program as base64 of its zstd frame. The compiled file holds every text twice, in the source and in the bytecode, and
 * some of them there with two bytes for each character: a script of 500 kB took 1.5 MB of the file, and takes 0.3 MB packed.
 */

/** Runs at build time, in a Bun macro. The same text gives the same result with the same version of Bun. */
export function packedText(text: string): string {
  return Bun.zstdCompressSync(Buffer.from(text), { level: 19 }).toString("base64")
}

/** Returns the text that {@link packedText} packed. A megabyte takes about 3 ms, so a caller keeps the result. */
export function unpackedText(packed: string): string {
  return Bun.zstdDecompressSync(Buffer.from(packed, "base64")).toString()
}
