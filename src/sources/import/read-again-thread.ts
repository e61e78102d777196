/** Entry point of the thread that reads a register again: one task in, one result out. The compiled file has a separate module graph for it. */
import { registerAdapterOf } from "../register-registry.ts"
import type { ReadAgain } from "./read-kept.ts"
import { type KeptRegister, readKeptRegister } from "./read-kept-register.ts"

declare const self: Worker

export interface ReadAgainTask extends KeptRegister {
  readonly sourceId: string
}

self.onmessage = async ({ data }: MessageEvent<ReadAgainTask>) => {
  const adapter = registerAdapterOf(data.sourceId)
  if (!adapter) throw new Error(`${data.sourceId} is no register`)
  const read = await readKeptRegister(adapter, data).catch((error: unknown): ReadAgain => ({ fault: String(error) }))
  self.postMessage(read)
}
