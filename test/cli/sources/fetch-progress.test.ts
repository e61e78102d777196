import { expect, test } from "bun:test"
import { fetchProgress } from "../../../src/cli/sources/fetch-progress.ts"

function shown(drawsLines: boolean) {
  let at = 0
  let text = ""
  const progress = fetchProgress({ drawsLines, err: (more) => (text += more) }, () => at)
  return { progress, text: () => text, pass: (ms: number) => (at += ms) }
}

test("an interactive terminal shows one line, redrawn at most four times a second, and cleared at the end", () => {
  const { progress, text, pass } = shown(true)
  progress.begin("US_OFAC_SDN")
  progress.show("SDN_XML.ZIP", 1_048_576, 2_097_152)
  progress.show("SDN_XML.ZIP", 1_572_864, 2_097_152)
  pass(250)
  progress.show("SDN_XML.ZIP", 2_097_152, null)
  progress.end()
  progress.end()
  expect(text().split("\r\u001b[2K")).toEqual([
    "",
    "50 %  US_OFAC_SDN  SDN_XML.ZIP  1.0 MB",
    "US_OFAC_SDN  SDN_XML.ZIP  2.0 MB",
    "",
  ])
})

test("without a terminal nothing is written", () => {
  const { progress, text } = shown(false)
  progress.begin("US_OFAC_SDN")
  progress.show("SDN_XML.ZIP", 1, 2)
  progress.end()
  expect(text()).toBe("")
})
