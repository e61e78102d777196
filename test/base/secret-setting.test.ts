/** The one reader of the files that secret settings name. */
import { afterAll, describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { ConfigError, SECRET_NAMES, type SecretName } from "../../src/base/config.ts"
import { secretOf } from "../../src/base/secret-setting.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { defaults } from "../fixtures/service.ts"

const folder = freshDirectory()
afterAll(() => folder[Symbol.dispose]())

const WORDS = "0123456789abcdefghijklmnopqrstuv"
let files = 0
function file(text: string, mode = 0o600): string {
  const path = join(folder.path, `secret-${files++}`)
  writeFileSync(path, text, { mode })
  return path
}

const read = (name: SecretName, path: string) => secretOf(defaults({ [name]: path }), name)

function faultOf(name: SecretName, path: string): string {
  try {
    read(name, path)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return ""
}

describe.each([...SECRET_NAMES])("%s", (name) => {
  test("is null if it names no file", () => expect(read(name, "")).toBeNull())

  test("is read at each call, without the white space and the byte order mark around it", () => {
    const path = file(`\uFEFF ${WORDS}\n`)
    expect(read(name, path)).toBe(WORDS)
    writeFileSync(path, `${WORDS}w`)
    expect(read(name, path)).toBe(`${WORDS}w`)
  })

  test("names the setting and the file in each fault, and no secret", () => {
    const missing = join(folder.path, "none")
    expect(faultOf(name, missing)).toBe(`${name}: ${missing} is missing`)
    expect(faultOf(name, folder.path)).toBe(`${name}: ${folder.path} is not a file`)
    const open = file(WORDS, 0o640)
    const mend = `fix it with: chmod 600 ${open}`
    expect(faultOf(name, open)).toBe(`${name}: ${open} is open to other users (mode 0640); ${mend}`)
    const long = file("x".repeat(4097))
    expect(faultOf(name, long)).toBe(`${name}: ${long} is longer than 4096 bytes`)
  })
})

test.each<[name: SecretName, text: string, says: string]>([
  ["admin_token_file", WORDS.slice(1), "must hold one token of 32 to 200 visible ASCII characters"],
  ["uk_companies_house_key_file", "user:password", "does not hold one API key"],
  ["uk_companies_house_key_file", "1234567", "does not hold one API key"],
  ["sam_key_file", "two words", "holds no key: one line of printable characters is expected"],
  ["sam_key_file", "", "holds no key: one line of printable characters is expected"],
])("%s with the text %j does not have its form", (name, text, says) => {
  const path = file(text)
  expect(faultOf(name, path)).toBe(`${name}: ${path} ${says}`)
})
