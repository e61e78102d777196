/**
 * docs/first-day.md, typed as it is printed on a machine that has nothing but the files of a release: no network, a fresh home, and from step 2 on
 * nothing can be written outside the folders of the data and of the backups.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { sha256 } from "../../../src/core/sha256.ts"
import { type TarSource, writeTar } from "../../../src/core/tar/tar.ts"
import { publicFile, releaseKeyOf, signFile } from "../../../src/release/minisign.ts"
import { sumsText } from "../../../src/release/sums.ts"
import { type BareMachine, noMachine, startMachine } from "../../fixtures/bare-machine.ts"
import { compiledBinary } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { sourceText } from "../../fixtures/imports.ts"
import { writeSampleLists } from "../../fixtures/sample-lists.ts"
import { until } from "../../fixtures/until.ts"

setDefaultTimeout(120_000)

const WHY = compiledBinary === null ? "there is no compiled file" : noMachine
const ARCHIVE = "bizauth-1.0.0-linux-x64"
const DATA = "/var/lib/bizauth"
const BACKUPS = "/var/backups/bizauth"
const SECONDS = 1_790_000_000

/** The lines of every block of a step, in order. */
function linesOf(step: number): readonly string[] {
  const [, text = ""] = sourceText("docs/first-day.md").split(new RegExp(`^## ${step}\\. .*$`, "m"))
  const [section = ""] = text.split(/^## /m)
  return [...section.matchAll(/^```(?:sh|console)\n([\s\S]*?)^```/gm)].flatMap(([, block = ""]) =>
    block.trim().split("\n"),
  )
}

/** `check` names the UK list, which nobody imported. */
const EXITS: Readonly<Record<string, number>> = { "bizauth check": 8 }
const exitOf = (line: string) => Object.entries(EXITS).find(([start]) => line.startsWith(`${start} `))?.[1] ?? 0

describe.skipIf(WHY !== null)(
  `a machine with only the files of a release${WHY === null ? "" : ` (NOT RUN: ${WHY})`}`,
  () => {
    const fresh = freshDirectory()
    const at = (...names: string[]) => join(fresh.path, ...names)
    let machine: BareMachine

    beforeAll(async () => {
      chmodSync(fresh.path, 0o755)
      machine = await startMachine(fresh.path)
      writeRelease(at("root"))
      writeSampleLists(at("root/lists"), { publishedAt: Date.now() })
      writeFileSync(at("root/passphrase"), "a passphrase of many words\n", { mode: 0o600 })
    })
    afterAll(async () => {
      await machine?.stop()
      fresh[Symbol.dispose]()
    })

    const type = (line: string) => {
      const ran = machine.run(line)
      expect([line, ran.exit, ran.err]).toEqual([line, exitOf(line), expect.any(String)])
      return ran
    }

    test("has no other program of this project, no network, and nothing of this user", () => {
      expect(machine.run("command -v bun bizauth").exit).not.toBe(0)
      expect(machine.run("ls /sys/class/net /home").exit).not.toBe(0)
      expect(machine.run("ip -o link").out.trimEnd().split("\n")).toEqual([expect.stringContaining(" lo: ")])
      expect(machine.run("env").out).not.toContain("BIZAUTH")
    })

    test.each(linesOf(1))("%s", (line) => {
      // A machine without minisign compares the sums alone.
      const typed = Bun.which("minisign") === null ? line.replace(/^minisign .* && /, "") : line
      const { out } = type(typed)
      if (line === "bizauth version") expect(out).toStartWith("bizauth ")
    })

    test("nothing can be written outside the folders of the data and of the backups", () => {
      expect(statSync(at(DATA)).mode & 0o777).toBe(0o700)
      machine.freeze([DATA, BACKUPS])
      for (const place of ["/root/x", "/etc/x", "/usr/local/bin/x", "/var/x"])
        expect([place, machine.run(`touch ${place}`).exit]).toEqual([place, 1])
      expect(machine.run(`touch ${DATA}/x ${BACKUPS}/x && rm ${DATA}/x ${BACKUPS}/x`).exit).toBe(0)
    })

    test.each([2, 3, 4].flatMap(linesOf))("%s", (line) => void type(line))

    test("the unit's own commands start the server as the user of step 1, and it answers", async () => {
      const [printed] = linesOf(5).map(type).toReversed()
      const { out: unit = "", err: told = "" } = printed ?? {}
      expect(unit).toContain(`ReadWritePaths=${DATA}/data ${BACKUPS}\n`)
      const [, owner = ""] = /(chown -R bizauth: \S+)/.exec(told) ?? []
      expect(machine.run(owner)).toMatchObject({ exit: 0, err: "" })
      const variables = [...unit.matchAll(/^Environment=(.*)$/gm)].map(([, one]) => one).join(" ")
      const command = (name: string) => `env ${variables} ${new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1]}`
      expect(machine.run(command("ExecStartPre"), "bizauth")).toMatchObject({ exit: 0 })
      const server = Bun.spawn([...machine.words(`exec ${command("ExecStart")}`, "bizauth")], {
        stdout: "pipe",
        stderr: "ignore",
      })
      try {
        const first = await server.stdout.getReader().read()
        const [, origin] = /^listening (\S+)\n/.exec(new TextDecoder().decode(first.value)) ?? []
        const ask = () => machine.run(`bizauth capabilities --server ${origin}`)
        await until("it answers", () => ask().exit === 0)
        expect(readFileSync(`/proc/${server.pid}/status`, "utf8")).toMatch(/^Uid:\s+[1-9]/m)
        expect(machine.run("bash -c 'exec 3<>/dev/tcp/127.0.0.1/9402'").exit).toBe(0)
        // Beside the running server.
        for (const line of linesOf(6)) type(line)
      } finally {
        server.kill("SIGTERM")
        expect(await server.exited).toBe(0)
      }
      for (const name of ["data/bizauth.db", "rehearsal/bizauth.db"])
        expect([name, existsSync(at(DATA, name))]).toEqual([name, true])
    })
  },
)

/** The archive of this machine with its sums and their signature, as a release has them. */
function writeRelease(folder: string): void {
  const member = (name: string, content: Uint8Array, mode: number): TarSource => {
    return { name: `${ARCHIVE}/${name}`, size: content.length, modifiedAt: SECONDS, mode, pieces: [content] }
  }
  const members = [
    member("README.md", Buffer.from(sourceText("README.md")), 0o644),
    member("bizauth", readFileSync(compiledBinary ?? ""), 0o755),
  ]
  // As a release packs it, but for the level of compression, which costs ten seconds.
  const bytes = gzipSync(Buffer.concat([...writeTar(members)]), { level: 1 })
  const name = `${ARCHIVE}.tar.gz`
  const sums = Buffer.from(sumsText(new Map([[name, Buffer.from(sha256(bytes)).toString("hex")]])))
  const key = releaseKeyOf(crypto.getRandomValues(new Uint8Array(32)), new Uint8Array(8))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), bytes)
  writeFileSync(join(folder, "SHA256SUMS"), sums)
  writeFileSync(join(folder, "SHA256SUMS.minisig"), signFile(key, sums, "bizauth 1.0.0"))
  writeFileSync(join(folder, "release.key.pub"), publicFile(key))
}
