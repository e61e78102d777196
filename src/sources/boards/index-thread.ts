/** Entry point of the thread that builds an index: one task in, one result out. The compiled file has a separate module graph for it. */

import { transferable } from "../formats/typed-arrays.ts"
import { type IndexTask, openOrBuild } from "./build-index.ts"

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<IndexTask>) => {
  const built = openOrBuild(data)
  self.postMessage(built, transferable(built.merged))
}
