/** The file of the access log on a real disk: rotation by its size and by others, what it refuses, and a disk without room. */
import { afterAll, describe, expect, test } from "bun:test"
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { AccessFile, accessFileFault, earlierPath } from "../../../src/cli/log/access-file.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { ROOT } from "../../fixtures/imports.ts"

const directory = freshDirectory()
afterAll(() => directory[Symbol.dispose]())

let folders = 0
function freshPath(): string {
  const folder = join(directory.path, String(folders++))
  mkdirSync(folder)
  return join(folder, "access.log")
}
const fileAt = (path: string, given: Partial<{ bytesMax: number; freeBytesMin: number }> = {}) =>
  new AccessFile(path, { bytesMax: 1_000_000, freeBytesMin: 0, ...given })
const text = (path: string) => readFileSync(path, "utf8")

describe("lines", () => {
  test("are appended in order, also to a file that is there", async () => {
    const path = freshPath()
    writeFileSync(path, "before\n")
    const file = fileAt(path)
    await Promise.all(["a\n", "b\n", "c\n"].map((line) => file.append(line)))
    await file.close()
    expect(text(path)).toBe("before\na\nb\nc\n")
  })

  test("go to a new file of mode 0640 that the group may read", async () => {
    const path = freshPath()
    const file = fileAt(path)
    await file.append("a\n")
    await file.close()
    expect(lstatSync(path).mode & 0o777).toBe(0o640)
  })

  test("go on in a new file when somebody renamed, deleted or emptied it", async () => {
    const path = freshPath()
    const file = fileAt(path)
    await file.append("a\n")
    renameSync(path, `${path}.old`)
    await file.append("b\n")
    rmSync(path)
    await file.append("c\n")
    truncateSync(path)
    await file.append("d\n")
    await file.close()
    expect([text(`${path}.old`), text(path)]).toEqual(["a\n", "d\n"])
  })

  test("go on after the folder was away", async () => {
    const path = freshPath()
    const file = fileAt(path)
    await file.append("a\n")
    rmSync(join(path, ".."), { recursive: true })
    await expect(file.append("b\n")).rejects.toThrow("ENOENT")
    mkdirSync(join(path, ".."))
    await file.append("c\n")
    await file.close()
    expect(text(path)).toBe("c\n")
  })
})

describe("at its size", () => {
  test("the file is renamed, and the earlier one is replaced", async () => {
    const path = freshPath()
    const file = fileAt(path, { bytesMax: 10 })
    for (const line of ["1234567890\n", "second, longer than ten\n", "third\n"]) await file.append(line)
    await file.close()
    expect([text(earlierPath(path)), text(path)]).toEqual(["second, longer than ten\n", "third\n"])
    expect(readdirSync(join(path, "..")).sort()).toEqual(["access.log", "access.log.1"])
  })

  test("two writers of one file rename it once, and no line is lost or cut", async () => {
    const path = freshPath()
    const files = [fileAt(path, { bytesMax: 4000 }), fileAt(path, { bytesMax: 4000 })]
    const lines = Array.from({ length: 80 }, (_one, index) => `${String(index).padStart(3, "0")}${"x".repeat(96)}\n`)
    await Promise.all(lines.map((line, index) => files[index % 2]?.append(line)))
    for (const file of files) await file.close()
    expect((text(earlierPath(path)) + text(path)).split("\n").filter(Boolean).sort()).toEqual(
      lines.map((line) => line.trimEnd()),
    )
  })
})

describe("what is not a regular file", () => {
  test.each<[what: string, make: (path: string) => void]>([
    ["a folder", (path) => mkdirSync(path)],
    ["a link", (path) => symlinkSync("/dev/null", path)],
    ["a pipe", (path) => spawnSync("mkfifo", [path])],
  ])("%s is refused before and while it is written", async (_, make) => {
    const path = freshPath()
    make(path)
    expect(accessFileFault(path)).toBe("is not a regular file")
    await expect(fileAt(path).append("a\n")).rejects.toThrow()
    expect(lstatSync(path).isFile()).toBe(false)
  })

  test("a folder that is missing or closed is a fault, and nothing is made", () => {
    const path = freshPath()
    expect(accessFileFault(join(path, "none", "access.log"))).toContain("ENOENT")
    chmodSync(join(path, ".."), 0o500)
    // Root may write everywhere.
    if (process.getuid?.() !== 0) expect(accessFileFault(path)).toContain("EACCES")
    expect(existsSync(path)).toBe(false)
    chmodSync(join(path, ".."), 0o700)
    expect(accessFileFault(path)).toBeNull()
  })
})

describe("without room", () => {
  test("nothing is written below the free space that it leaves", async () => {
    const path = freshPath()
    const file = fileAt(path, { freeBytesMin: Number.MAX_SAFE_INTEGER })
    await expect(file.append("a\n")).rejects.toThrow("is on a disk with little space left")
    expect(existsSync(path)).toBe(false)
  })

  test("a line that does not fit is an error, and later ones are tried again", () => {
    const path = freshPath()
    // Root may write anywhere, so a limit of the file size replaces a full disk.
    const program = `
      const { AccessFile } = await import(${JSON.stringify(join(ROOT, "src/cli/log/access-file.ts"))})
      const file = new AccessFile(${JSON.stringify(path)}, { bytesMax: 1e9, freeBytesMin: 0 })
      const outcomes = []
      for (const size of [4000, 8000, 100]) {
        outcomes.push(await file.append("x".repeat(size - 1) + "\\n").then(() => "written", (error) => error.code))
      }
      await (await import("node:fs/promises")).truncate(${JSON.stringify(path)})
      outcomes.push(await file.append("last\\n").then(() => "written", (error) => error.code))
      console.log(JSON.stringify(outcomes))`
    const ran = spawnSync("bash", ["-c", `ulimit -f 8; exec "$@"`, "bash", process.execPath, "-e", program], {
      encoding: "utf8",
    })
    expect([ran.stderr, ran.stdout]).toEqual(["", `["written","EFBIG","EFBIG","written"]\n`])
    expect(text(path)).toBe("last\n")
  })
})
