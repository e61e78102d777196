/**
 * The file for systems with musl, in a root that has musl, its C++ library and nothing else: it starts, tells systemd over a socket of the test that it
 * listens and lives, locks the folder of its own socket, and ends. BIZAUTH_MUSL names the folder with these libraries.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { PLAIN_ENVIRONMENT } from "../../../scripts/plain-environment.ts"
import { fetchRuntime } from "../../../scripts/release/runtimes.ts"
import { TARGETS } from "../../../scripts/release/targets.ts"
import { EXIT } from "../../../src/base/exit.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { ROOT } from "../../fixtures/imports.ts"
import { datagramSocket } from "../../fixtures/unix-datagrams.ts"
import { until } from "../../fixtures/until.ts"

setDefaultTimeout(300_000)

const FOLDER = process.env["BIZAUTH_MUSL"]
const LOADER = "ld-musl-x86_64.so.1"
const WHY =
  FOLDER === undefined || !existsSync(join(FOLDER, LOADER))
    ? `BIZAUTH_MUSL names no folder with ${LOADER} and libstdc++.so.6`
    : Bun.which("bwrap") === null
      ? "bwrap is not installed"
      : null

describe.skipIf(WHY !== null)(`the file for musl${WHY === null ? "" : ` (NOT RUN: ${WHY})`}`, () => {
  const fresh = freshDirectory()
  const at = (...names: string[]) => join(fresh.path, ...names)
  afterAll(() => fresh[Symbol.dispose]())
  const within = (...words: string[]) => [
    ...["bwrap", "--bind", at("root"), "/", "--proc", "/proc", "--dev", "/dev", "--bind", at("place"), at("place")],
    ...["--unshare-net", "--die-with-parent", "--clearenv", "--setenv", "BIZAUTH_DATA", at("place/data")],
    ...words,
  ]
  const run = (...words: string[]) => {
    const ran = Bun.spawnSync(within("/bizauth", ...words), { stdout: "pipe", stderr: "pipe" })
    return { exit: ran.exitCode, text: `${ran.stdout.toString()}${ran.stderr.toString()}` }
  }

  beforeAll(async () => {
    const target = TARGETS.find(({ name }) => name === "linux-x64-musl")
    if (target === undefined) throw new Error("no target for musl")
    const runtime = await fetchRuntime(target, join(ROOT, "dist/runtimes"))
    const build = [
      "scripts/build.ts",
      "--out",
      at("built"),
      "--target",
      target.compiledFor,
      "--executable",
      runtime.path,
    ]
    const built = Bun.spawnSync([process.execPath, ...build], { cwd: ROOT, env: PLAIN_ENVIRONMENT, stderr: "inherit" })
    expect(built.exitCode).toBe(0)
    for (const folder of ["root/lib", "root/tmp", "place"]) mkdirSync(at(folder), { recursive: true })
    cpSync(FOLDER ?? "", at("root/lib"), { recursive: true, dereference: true })
    cpSync(at("built/bizauth"), at("root/bizauth"))
  })

  test("starts where no other C library is", () => {
    expect(readdirSync(at("root")).toSorted()).toEqual(["bizauth", "lib", "tmp"])
    expect(run("version")).toEqual({ exit: EXIT.DONE, text: expect.stringContaining("bun-linux-x64-musl)") })
  })

  test("tells the service manager that it listens, lives and stops, on a socket that it placed under a lock", async () => {
    expect(run("init", "--environment", "test", "--base-url", "https://svc.example")).toMatchObject({ exit: EXIT.DONE })
    const name = at("place/notify")
    const socket = datagramSocket(name)
    const told = ["--setenv", "NOTIFY_SOCKET", name, "--setenv", "WATCHDOG_USEC", "400000"]
    const listen = ["--listen", `unix:${at("place/http.sock")}`, "--trusted-proxies", "unix:"]
    const child = Bun.spawn(within(...told, "/bizauth", "serve", ...listen, "--base-url", "https://svc.example"), {
      stdout: "ignore",
      stderr: "pipe",
    })
    const messages: string[] = []
    const come = (text: string) =>
      until(text, () => {
        messages.push(...socket.received())
        return messages.some((message) => message.startsWith(text))
      })
    await come("READY=1")
    await come("WATCHDOG=1")
    await until("it is recorded", () => existsSync(at("place/data/running.json")))
    expect(run("check", "--running")).toMatchObject({ exit: EXIT.DONE })
    // The child of bwrap is the program.
    const [pid] = (await Bun.file(`/proc/${child.pid}/task/${child.pid}/children`).text()).split(" ")
    process.kill(Number(pid), "SIGTERM")
    await come("STOPPING=1")
    expect([await child.exited, await new Response(child.stderr).text()]).toEqual([
      0,
      expect.not.stringContaining("service_manager_unreachable"),
    ])
    expect(readdirSync(at("place")).toSorted()).toEqual(["data", "notify"])
    socket.close()
  })
})
