/**
 * Entry point of a thread that screens rows: first the lists, then one block of rows after the other, one result for each. The compiled file
 * has a separate module graph for it.
 */

import type { NameRow } from "../../sources/screening/names-file.ts"
import { openSharedIndex, type SharedIndex } from "../../sources/screening/shared-index.ts"
import { type RowOptions, type ScreenedRows, screenRows } from "./screened-rows.ts"
import type { ScreeningLists } from "./screening-lists.ts"

/** The first message to a thread. */
export interface ThreadLists extends Omit<ScreeningLists, "index"> {
  readonly shared: SharedIndex
  readonly options: RowOptions
}

/** Each later message. */
export interface RowBlock {
  readonly number: number
  readonly rows: readonly NameRow[]
}

export interface ScreenedBlock extends ScreenedRows {
  readonly number: number
}

declare const self: Worker

let screened: ((rows: readonly NameRow[]) => ScreenedRows) | null = null

self.onmessage = ({ data }: MessageEvent<ThreadLists | RowBlock>) => {
  if ("shared" in data) {
    const { shared, options, ...lists } = data
    const open = { ...lists, index: openSharedIndex(shared) }
    screened = (rows) => screenRows(open, rows, options)
    return
  }
  if (screened === null) throw new Error("rows came before the lists")
  const block: ScreenedBlock = { number: data.number, ...screened(data.rows) }
  self.postMessage(block)
}
