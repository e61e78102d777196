/** A backup and a restore report each of their steps in order, and count every byte that can be counted. */
import { afterAll, expect, test } from "bun:test"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { restoreBackup } from "../../../src/data/backup/restore-backup.ts"
import { makeBackup } from "../../../src/data/backup/write-backup.ts"
import { createDataDirectory } from "../../../src/data/data-directory.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { unfinished, watchedWork } from "../../fixtures/watched-work.ts"

const root = freshDirectory()
const at = (name: string) => join(root.path, name)
const file = at("backup.tar.zst")
afterAll(() => root[Symbol.dispose]())

test("a backup counts the bytes that it digests, writes and reads again", async () => {
  const { paths } = await createDataDirectory(at("data"), "test", realMachine)
  const { work, steps } = watchedWork()
  await makeBackup({ paths, file, includesLists: true, passphrase: null }, { machine: realMachine, work })
  expect(steps.map(({ what }) => what)).toEqual([
    "copying the database",
    "checking every page of the copy",
    "collecting keys and settings",
    "computing the digests",
    "writing the backup",
    "reading the backup again",
    "putting the backup in place",
  ])
  const counted = steps.filter(({ unit }) => unit === "bytes")
  expect([counted.length, unfinished(steps)]).toEqual([3, []])
  expect(counted[0]?.total).toBeGreaterThan(100_000)
})

test("a restore counts the bytes that it unpacks", async () => {
  const { work, steps } = watchedWork()
  const order = { file, directory: at("restored"), requireNewest: null, passphrase: null }
  await restoreBackup(order, { machine: realMachine, work })
  expect(steps.map(({ what }) => what)).toEqual([
    "unpacking the backup",
    "checking every page of the database",
    "marking the database as restored",
    "writing the keys",
    "recording the size of the log",
    "putting the directory in place",
  ])
  expect([steps[0]?.unit, unfinished(steps)]).toEqual(["bytes", []])
})
