/** The monthly file of Companies House at any size, zipped while it is generated: the same rows every time, never held in memory. */

import { once } from "node:events"
import { closeSync, openSync, writeSync } from "node:fs"
import { crc32, createDeflateRaw } from "node:zlib"
import { bulkName, companyCells, headerText, rowText } from "../../test/fixtures/companies-house-file.ts"

const BLOCK_CHARACTERS = 1024 * 1024

interface MadeFile {
  readonly path: string
  readonly csvBytes: number
  readonly zipBytes: number
}

/** Writes `BasicCompanyDataAsOneFile-DAY.zip` with `rows` companies into `folder`. */
export async function makeRegisterZip(folder: string, day: string, rows: number): Promise<MadeFile> {
  const path = `${folder}/${bulkName(day)}.zip`
  const name = Buffer.from(`${bulkName(day)}.csv`)
  const descriptor = openSync(path, "wx")
  let at = 30 + name.length
  const deflate = createDeflateRaw({ level: 1, chunkSize: 256 * 1024 })
  const packing = (async () => {
    for await (const chunk of deflate as AsyncIterable<Uint8Array>)
      at += writeSync(descriptor, chunk, 0, chunk.length, at)
  })()
  let crc = 0
  let csvBytes = 0
  for (const block of blocks(rows)) {
    crc = crc32(block, crc)
    csvBytes += block.length
    if (!deflate.write(block)) await once(deflate, "drain")
  }
  deflate.end()
  await packing
  const packed = at - 30 - name.length
  const sizes = { crc, packed, size: csvBytes, name }
  writeSync(descriptor, localHeader(sizes), 0, 30 + name.length, 0)
  const directory = directoryOf(sizes, at)
  writeSync(descriptor, directory, 0, directory.length, at)
  closeSync(descriptor)
  return { path, csvBytes, zipBytes: at + directory.length }
}

function* blocks(rows: number): Generator<Buffer> {
  let text = headerText()
  for (let row = 0; row < rows; row += 1) {
    text += rowText(companyCells(row))
    if (text.length < BLOCK_CHARACTERS) continue
    yield Buffer.from(text)
    text = ""
  }
  yield Buffer.from(text)
}

interface Sizes {
  readonly crc: number
  readonly packed: number
  readonly size: number
  readonly name: Buffer
}

function localHeader({ crc, packed, size, name }: Sizes): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(8, 8)
  header.writeUInt32LE(crc, 14)
  header.writeUInt32LE(packed, 18)
  header.writeUInt32LE(size, 22)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, name])
}

function directoryOf({ crc, packed, size, name }: Sizes, at: number): Buffer {
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50, 0)
  entry.writeUInt16LE(20, 4)
  entry.writeUInt16LE(20, 6)
  entry.writeUInt16LE(8, 10)
  entry.writeUInt32LE(crc, 16)
  entry.writeUInt32LE(packed, 20)
  entry.writeUInt32LE(size, 24)
  entry.writeUInt16LE(name.length, 28)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(46 + name.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([entry, name, end])
}
