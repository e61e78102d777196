/** The thread an index is built on: one task, one answer. Its module graph is its own entry point of the compiled file. */

import { transferable } from "../formats/typed-arrays.ts"
import { type IndexTask, openOrBuild } from "./build-index.ts"

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<IndexTask>) => {
  const built = openOrBuild(data)
  self.postMessage(built, transferable(built.merged))
}
