/** The thread an index is built on: one task, one answer. Its module graph is its own entry point of the compiled file. */
import { buildIndex, type IndexTask } from "./build-index.ts"
import { transferable } from "./typed-arrays.ts"

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<IndexTask>) => {
  const built = buildIndex(data)
  self.postMessage(built, transferable(built.merged))
}
