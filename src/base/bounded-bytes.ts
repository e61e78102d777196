/** The bytes of a body; null if it has more than `bytesMax`, and then the rest is not read. */
export async function boundedBytes(body: ReadableStream<Uint8Array> | null, bytesMax: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
