import { expect, test } from "bun:test"
import fc from "fast-check"
import { EventStreamReader } from "../../../src/jobs/hub/event-stream.ts"
import { runs } from "../../fixtures/long.ts"

/** Gives the bytes in chunks that end at `cuts`. */
function read(bytes: Uint8Array, cuts: readonly number[]): { readonly events: string[]; readonly goesOn: boolean } {
  const events: string[] = []
  const reader = new EventStreamReader((data) => void events.push(data))
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].toSorted((a, b) => a - b)
  let from = 0
  let goesOn = true
  for (const end of ends) {
    goesOn = goesOn && reader.take(bytes.subarray(from, end))
    from = end
  }
  return { events, goesOn }
}

const bytesOf = (text: string) => new TextEncoder().encode(text)

const lineEnd = fc.constantFrom("\n", "\r\n", "\r")
const line = fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, ""))
const event = fc.array(line, { minLength: 1, maxLength: 3 })

test("every event is read whole, whatever its line ends, its other fields and the chunks", () => {
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 5 }),
      lineEnd,
      fc.array(fc.nat(), { maxLength: 12 }),
      fc.boolean(),
      (events, end, cuts, spaced) => {
        const text = events
          .map((lines) => {
            const data = lines.map((one) => `data:${spaced ? " " : one.startsWith(" ") ? " " : ""}${one}`)
            return [": comment", "event: message", "id: 7", ...data, ""].join(end) + end
          })
          .join("")
        // The last line feed may still come, so a reader waits for the character after a carriage return.
        const whole = end === "\r" ? `${text}:` : text
        expect(read(bytesOf(whole), cuts)).toEqual({ events: events.map((lines) => lines.join("\n")), goesOn: true })
      },
    ),
    { numRuns: runs(2_000) },
  )
})

test("an event that does not end is not given", () => {
  expect(read(bytesOf("data: 1\n\ndata: 2\n"), [])).toEqual({ events: ["1"], goesOn: true })
})

test("an event without data is none", () => {
  expect(read(bytesOf(": ping\n\nevent: x\n\ndata\n\n"), []).events).toEqual([""])
})

test("a line, or an event of many lines, of over a mebibyte ends the stream", () => {
  const mebibyte = 1024 * 1024
  expect(read(bytesOf(`data: ${"x".repeat(mebibyte)}`), []).goesOn).toBe(false)
  expect(read(bytesOf(`data: ${"x".repeat(1000)}\n`.repeat(1_100)), []).goesOn).toBe(false)
  expect(read(bytesOf(`data: ${"x".repeat(1000)}\n\n`.repeat(1_100)), []).goesOn).toBe(true)
})
