import { expect, test } from "bun:test"
import fc from "fast-check"
import { readTarStream } from "../../src/core/tar/read-tar-stream.ts"
import { readTar, TarBroken, writeTar } from "../../src/core/tar/tar.ts"

const AT = 1_760_000_000
const archive = (...files: readonly (readonly [name: string, bytes: Uint8Array])[]) =>
  new Uint8Array(
    Buffer.concat([
      ...writeTar(files.map(([name, bytes]) => ({ name, size: bytes.length, modifiedAt: AT, pieces: [bytes] }))),
    ]),
  )

async function* inPieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

async function read(bytes: Uint8Array, length = 100): Promise<[string, string][]> {
  const found: [string, string][] = []
  for await (const { name, pieces } of readTarStream(inPieces(bytes, length))) {
    const parts: Uint8Array[] = []
    for await (const piece of pieces) parts.push(piece)
    found.push([name, Buffer.concat(parts).toString("hex")])
  }
  return found
}

/** The message of the refusal, or the files. */
const outcome = async (work: () => Promise<unknown> | unknown) => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof TarBroken)) throw error
    return error.message.replace(/\d+/g, "N")
  }
}

const wholeOf = (bytes: Uint8Array) =>
  readTar(bytes, 99).map((entry) => [entry.name, Buffer.from(entry.bytes).toString("hex")])

test("every archive is read as the reader in memory reads it, whatever the length of the pieces", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.stringMatching(/^[a-z]{1,20}$/), { maxLength: 4 }),
      fc.array(fc.uint8Array({ maxLength: 1100 }), { minLength: 4, maxLength: 4 }),
      fc.integer({ min: 1, max: 2000 }),
      async (names, contents, length) => {
        const bytes = archive(...names.map((name, at) => [name, contents[at] ?? new Uint8Array()] as const))
        expect(await read(bytes, length)).toEqual(wholeOf(bytes) as [string, string][])
      },
    ),
    { numRuns: 60 },
  )
})

test("an archive that is cut or changed anywhere gets the same refusal as from the reader in memory", async () => {
  const bytes = archive(["a", new Uint8Array(700).fill(7)], ["b", new Uint8Array()])
  for (let cut = 0; cut < bytes.length; cut += 171) {
    const short = bytes.subarray(0, cut)
    const [whole, streamed] = [await outcome(() => wholeOf(short)), await outcome(() => read(short))]
    expect([cut, typeof streamed]).toEqual([cut, "string"])
    expect(typeof whole).toBe("string")
  }
  for (const at of [0, 124, 148, 156, 257, 345, 512 + 701, bytes.length - 1]) {
    const changed = Uint8Array.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 0x21
    expect([at, await outcome(() => read(changed))]).toEqual([at, await outcome(() => wholeOf(changed))])
  }
})

test("an entry that is not read to its end stops the reading", async () => {
  const bytes = archive(["a", new Uint8Array(10)], ["b", new Uint8Array(10)])
  const names: string[] = []
  const skipping = (async () => {
    for await (const { name } of readTarStream(inPieces(bytes, 64))) names.push(name)
  })()
  expect(await outcome(() => skipping)).toBe("a was not read to its end")
  expect(names).toEqual(["a"])
})
