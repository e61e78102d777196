import { boundedBytes } from "../base/bounded-bytes.ts"

/** The text of a response; null if it is longer than `bytesMax`, and then the rest is not read. */
export async function boundedText(response: Response, bytesMax: number): Promise<string | null> {
  const { headers, body } = response
  const length = headers.get("content-length")
  // Text of a stated length is read at once, which takes half the time. A compressed or chunked body may be longer than its stated length.
  const isExact = length !== null && !headers.has("content-encoding") && !headers.has("transfer-encoding")
  if (isExact && Number(length) <= bytesMax) return response.text()
  return (await boundedBytes(body, bytesMax))?.toString("utf8") ?? null
}
