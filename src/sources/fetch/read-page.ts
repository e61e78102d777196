/**
 * Reads a small page that a plan depends on, such as a list of the newest files. The page is held in memory, under the rules of every
 * download.
 */
import { digestBytes } from "../../core/digest.ts"
import { askFor } from "./follow-redirects.ts"
import type { Transport } from "./open-response.ts"
import { receiveBody } from "./receive-body.ts"
import { shownUrl } from "./transfer-fault.ts"

export interface Page {
  readonly url: URL
  readonly bytesMax: number
}

/** Throws TransferFault. */
export async function readPage(page: Page, transport: Transport, now: number): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(transport.limits.wholeMs)
  const answered = await askFor({ url: page.url, conditions: {}, signal }, transport, now)
  const chunks: Uint8Array[] = []
  const rules = { shown: shownUrl(answered.url), bytesMax: page.bytesMax, limits: transport.limits, signal }
  try {
    await receiveBody(answered, rules, (chunk) => chunks.push(chunk))
  } finally {
    answered.request.destroy()
  }
  return Buffer.concat(chunks)
}

/** Returns a digest of the page: equal for equal bytes. The content is not parsed. */
export async function readMarker(page: Page, transport: Transport, now: number): Promise<string> {
  return digestBytes(await readPage(page, transport, now))
}
