/**
 * Entry point of the thread that builds an index, or the details of a snapshot: one task in, one result out. The compiled file has a separate
 * module graph for it.
 */

import type { DetailsTask } from "../details/build-details.ts"
import { transferable } from "../formats/typed-arrays.ts"
import { type IndexTask, openOrBuild } from "./build-index.ts"

declare const self: Worker

self.onmessage = async ({ data }: MessageEvent<IndexTask | { readonly details: DetailsTask }>) => {
  if ("details" in data) {
    // An index needs no parser of a publisher.
    const { buildDetails } = await import("../details/build-details.ts")
    self.postMessage(buildDetails(data.details))
    return
  }
  const built = openOrBuild(data)
  self.postMessage(built, transferable(built.merged))
}
