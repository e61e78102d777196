import { expect, test } from "bun:test"
import { SecretFileError } from "../../src/base/secret-file.ts"
import { readKeyFile, writeKeyFile } from "../../src/keys/key-file.ts"
import { keysIn, makeKeyPlace, nextKeys, takeIntoUse } from "../../src/keys/key-places.ts"
import { freshDirectory } from "../fixtures/directories.ts"

const SEED = new Uint8Array(32).fill(7)

test("a key whose file another process moves between the look and the read is read where it is then", () => {
  using directory = freshDirectory()
  const { keyId, x } = writeKeyFile(makeKeyPlace(nextKeys(directory.path)), SEED)
  const places: string[] = []
  const held = keysIn(directory.path, (place, id) => {
    places.push(place)
    takeIntoUse(directory.path, id)
    return readKeyFile(place, id)
  })
  expect(held(keyId).x).toBe(x)
  expect(places).toEqual([nextKeys(directory.path), directory.path])
})

test("a key that has no file is refused", () => {
  using directory = freshDirectory()
  const { keyId } = writeKeyFile(makeKeyPlace(`${directory.path}/elsewhere`), SEED)
  expect(() => keysIn(directory.path)(keyId)).toThrow(SecretFileError)
})
