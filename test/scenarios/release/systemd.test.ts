/**
 * The unit that `install-unit` prints, installed by the commands that it prints, under systemd itself: READY means that the program listens, whatever it
 * sells; a process that hangs is replaced; a wrong configuration is tried again until it is right.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { compiledBinary } from "../../fixtures/binary.ts"
import { type BootedMachine, bootSystemd, noSystemd } from "../../fixtures/booted-systemd.ts"
import { DEV_ACCOUNTS, DEV_KEYS } from "../../fixtures/chain.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { until } from "../../fixtures/until.ts"

setDefaultTimeout(120_000)

const WHY = compiledBinary === null ? "there is no compiled file" : noSystemd
const DATA = "/var/lib/bizauth/data"
const RESTORED = "/var/lib/bizauth/restored"
const SOCKET = "/run/bizauth/http.sock"
const LOG = "var/log/service"
const WATCHDOG_SECONDS = 4

describe.skipIf(WHY !== null)(`the unit under systemd${WHY === null ? "" : ` (NOT RUN: ${WHY})`}`, () => {
  const fresh = freshDirectory()
  const at = (...names: string[]) => join(fresh.path, ...names)
  let booted: BootedMachine

  const type = (line: string) => {
    const ran = booted.run(line)
    if (ran.exit === 0) return ran
    const log = existsSync(at(LOG)) ? logged().slice(-2000) : ""
    throw new Error(`${line} ended with ${ran.exit}: ${ran.err}${log}`)
  }
  const shown = (name: string) => booted.run(`systemctl show bizauth --value --property=${name}`).out.trim()
  const get = (path: string) =>
    booted.run(`curl -s -o /dev/null -w '%{http_code}' --unix-socket ${SOCKET} http://localhost${path}`).out
  const logged = () => readFileSync(at(LOG), "utf8")
  /** Prints the unit, and types what it says about the installation. */
  const install = (words: string) => {
    const { err } = booted.run(`bizauth install-unit ${words}`)
    const [first = "", second = "", third = ""] = err.split("to install it:\n")[1]?.trim().split("\n") ?? []
    // The user may be there already.
    for (const line of first.split("; ").slice(1)) type(line)
    type(second)
    type(third.split(" && ").slice(0, 2).join(" && "))
    type("systemctl restart bizauth")
  }

  beforeAll(async () => {
    chmodSync(fresh.path, 0o755)
    booted = await bootSystemd(fresh.path)
    copyFileSync(compiledBinary ?? "", at("local/bin/bizauth"))
    writeFileSync(at("root/passphrase"), "a passphrase of many words\n", { mode: 0o600 })
    writeFileSync(at("root/relayer.key"), DEV_KEYS[1], { mode: 0o600 })
    // There is no journal, and nobody waits two minutes in a test.
    const output = `StandardOutput=append:/${LOG}\nStandardError=append:/${LOG}`
    mkdirSync(at("etc/systemd/system/bizauth.service.d"), { recursive: true })
    writeFileSync(
      at("etc/systemd/system/bizauth.service.d/test.conf"),
      `[Service]\n${output}\nWatchdogSec=${WATCHDOG_SECONDS}\n`,
    )
    type("useradd --system --user-group --home-dir /var/lib/bizauth --shell /usr/sbin/nologin bizauth")
    type("install -d -m 0700 -o bizauth -g bizauth /var/lib/bizauth")
    type(`bizauth init --data ${DATA} --environment test --base-url https://svc.example`)
  })
  afterAll(async () => {
    await booted?.stop()
    fresh[Symbol.dispose]()
  })

  test("has started when it listens, as its own user, on a socket in a folder that the unit made", async () => {
    for (const [name, value] of [
      ["listen", `unix:${SOCKET}`],
      ["trusted_proxies", "unix:"],
      ["base_url", "https://svc.example"],
      ["access_log", "/var/log/bizauth/access.log"],
    ])
      type(`bizauth config set ${name} ${value} --data ${DATA}`)
    install(`--data ${DATA}`)
    expect([shown("ActiveState"), shown("StatusText")]).toEqual(["active", `listening unix:${SOCKET}`])
    expect(type("systemctl is-enabled bizauth").out).toBe("enabled\n")
    expect(type(`ps -o user= -p ${shown("MainPID")}`).out).toBe("bizauth\n")
    expect(get("/livez")).toBe("200")
    type(`bizauth check --running --data ${DATA}`)
    const access = at("var/log/bizauth/access.log")
    await until("a request is logged", () => existsSync(access))
    const { mode, uid } = statSync(access)
    expect([mode & 0o777, uid]).toEqual([0o640, statSync(at("var/lib/bizauth")).uid])
  })

  test("a process that hangs gives no sign of life, and is replaced", async () => {
    const first = shown("MainPID")
    type("systemctl kill --kill-whom=main --signal=STOP bizauth")
    await until("it is replaced", () => shown("NRestarts") === "1" && shown("ActiveState") === "active")
    expect([shown("MainPID") === first, get("/livez")]).toEqual([false, "200"])
    // No report of a crash, and no dump of memory.
    expect(logged()).not.toMatch(/crash/i)
  })

  test("a restored directory whose node is dead is started once, with a secret file that only root reads", async () => {
    type(`bizauth backup first --data ${DATA} --include-keys --passphrase-file passphrase`)
    type(`bizauth restore first --data ${RESTORED} --passphrase-file passphrase`)
    const node = "--payments test --rpc-url http://127.0.0.1:1"
    const paid = `--pay-to ${DEV_ACCOUNTS.payTo.address} --relayer-key-file /root/relayer.key`
    install(`--data ${RESTORED} --credentials ${node} ${paid}`)
    await until("it has tried to reach its node", () =>
      /"event":"started","data":"\/var\/lib\/bizauth\/restored"/.test(logged()),
    )
    await Bun.sleep((WATCHDOG_SECONDS + 1) * 1000)
    expect([shown("ActiveState"), shown("NRestarts")]).toEqual(["active", "0"])
    expect([get("/livez"), get("/readyz")]).toEqual(["200", "503"])
    const { lines } = JSON.parse(booted.run(`bizauth check --data ${RESTORED} --offline --json`).out)
    expect(lines.find(({ name }: { name: string }) => name === "running")).toMatchObject({
      state: "OK",
      what: expect.stringMatching(/has these settings; the service manager hands over relayer_key_file$/),
    })
  })

  test("a wrong configuration is tried again until it is right, and says each time what is wrong", async () => {
    const file = at(RESTORED, "bizauth.toml")
    const right = readFileSync(file, "utf8")
    writeFileSync(file, `lissten = "x"\n${right}`)
    expect(booted.run("systemctl restart bizauth").exit).not.toBe(0)
    await until("it is tried again", () => Number(shown("NRestarts")) > 1)
    expect(logged()).toContain('unknown key "lissten"')
    writeFileSync(file, right)
    await until("it has started", () => shown("ActiveState") === "active")
    expect(get("/livez")).toBe("200")
  })

  test("a stop is clean, and leaves no socket", () => {
    type("systemctl stop bizauth")
    expect([shown("ActiveState"), shown("Result")]).toEqual(["inactive", "success"])
    expect(booted.run(`test -e ${SOCKET}`).exit).toBe(1)
    expect(logged().trimEnd().split("\n").at(-1)).toContain('"event":"stopped"')
  })
})
