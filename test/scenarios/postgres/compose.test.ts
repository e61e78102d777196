/**
 * docs/examples/compose, set up by the commands of docs/scale.md and run as programs of this machine: HAProxy and PostgreSQL of Debian, and the
 * program under test. README's purchase goes through the balancer. Containers are NOT RUN: that needs a daemon.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { untilOpened } from "../../../scripts/demo/until-opened.ts"
import { DAY } from "../../../src/core/time.ts"
import { type Chain, DEV_ACCOUNTS, DEV_KEYS, startChain } from "../../fixtures/chain.ts"
import { NativeCompose } from "../../fixtures/compose.ts"
import { HAS_PG_BASEBACKUP, NO_PG_BASEBACKUP } from "../../fixtures/debian-postgres.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { freePort } from "../../fixtures/free-port.ts"
import { ROOT, sourceText } from "../../fixtures/imports.ts"
import { programOnPath } from "../../fixtures/program-on-path.ts"
import { readmeSubstitutions, type Substitution } from "../../fixtures/readme-substitutions.ts"
import { SCENARIO_MS } from "../../fixtures/test-operator.ts"
import { shellBlocks, shellWords, typeLine } from "../../fixtures/typed-lines.ts"
import { until } from "../../fixtures/until.ts"
import { writeWholeLists } from "../../fixtures/whole-lists.ts"

setDefaultTimeout(SCENARIO_MS)

const haproxy = Bun.which("haproxy", { PATH: `${process.env["PATH"]}:/usr/sbin` })
const canRun = HAS_PG_BASEBACKUP && haproxy !== null
const NOT_RUN = haproxy === null ? " (NOT RUN: no haproxy)" : NO_PG_BASEBACKUP
const EXAMPLE = join(ROOT, "docs/examples/compose")
const PAY_TO = "0x1111111111111111111111111111111111111111"
const PROXY_WITH_TLS = "127.0.0.4"
const FEE_ATOMIC = 790_000n
const BLOCK_EVERY_MS = 5_000

const textBetween = (page: string, begin: string, end: string) => {
  const from = page.indexOf(`\n${begin}`)
  const to = page.indexOf(`\n${end}`, from)
  if (from < 0 || to < 0) throw new Error(`no text from "${begin}" to "${end}"`)
  return page.slice(from, to)
}

describe.skipIf(!canRun)(`the compose file, without containers${NOT_RUN}`, () => {
  const directory = freshDirectory()
  const { path: folder } = directory
  const ports = { primary: freePort(), standby: freePort(), one: freePort(), two: freePort(), balancer: freePort() }
  const origin = `http://127.0.0.1:${ports.balancer}`
  const now = Date.now()
  let chain: Chain
  let blocks: ReturnType<typeof setInterval>
  let compose: NativeCompose
  let substitutions: readonly Substitution[]
  let environment: Readonly<Record<string, string>>

  const typed = (line: string) => substitutions.reduce((all, one) => all.replaceAll(one.printed, one.typed), line)

  async function type(line: string): Promise<string> {
    const { exit, shown } = await typeLine(typed(line), { folder, environment }, { prompt: /Type yes/, reply: "yes" })
    if (exit !== 0) throw new Error(`${typed(line)}\nended with ${exit}:\n${shown}`)
    return shown
  }

  const succeeds = (line: string) =>
    type(line).then(
      () => true,
      () => false,
    )

  /** The commands of docs/scale.md; of Docker's it does what they do. */
  async function setUp(): Promise<void> {
    const lines = shellBlocks(
      textBetween(sourceText("docs/scale.md"), "### With Docker Compose", "The private network"),
    )
    const shell: string[] = []
    for (const line of lines.flat()) {
      const [, command, rest = ""] = /^docker compose (up --detach --wait|run --rm one)(?: (.*))?$/.exec(line) ?? []
      if (command === undefined) {
        // No user of the containers is here.
        if (!line.startsWith("chown ")) shell.push(typed(line))
        continue
      }
      const ran = spawnSync("bash", ["-euc", shell.splice(0).join("\n")], {
        cwd: folder,
        env: environment,
        encoding: "utf8",
      })
      expect([ran.status, ran.stderr]).toEqual([0, ""])
      compose ??= new NativeCompose({ folder, substitutions, own, environment, ports })
      if (command.startsWith("up")) await compose.up(rest === "" ? undefined : rest.split(" "))
      else if (rest === "bizauth sources fetch") await importLists()
      else expect(compose.run("one", shellWords(typed(rest)))).toMatchObject({ exit: 0 })
    }
  }

  /** In place of the publishers, which are not on this machine. */
  async function importLists(): Promise<void> {
    writeWholeLists(join(folder, "lists"), now - DAY)
    const page = textBetween(sourceText("docs/operate.md"), "### A live server in five commands", "### Configuration")
    const lines = shellBlocks(page).flat()
    for (const line of lines.filter((one) => /^bizauth (sources import|buyers)/.test(one))) await type(line)
  }

  const ofInstance = (port: number): readonly Substitution[] => [
    { printed: "0.0.0.0:8402", typed: `127.0.0.1:${port}`, because: "both instances are on this machine" },
    {
      printed: "/dev/tcp/127.0.0.1/8402",
      typed: `/dev/tcp/127.0.0.1/${port}`,
      because: "both instances are on this machine",
    },
  ]
  const balancerPort = {
    printed: "/dev/tcp/127.0.0.1/8080",
    typed: `/dev/tcp/127.0.0.1/${ports.balancer}`,
    because: "port 8080 may be taken",
  }
  const own = { balancer: [balancerPort], one: ofInstance(ports.one), two: ofInstance(ports.two) }

  beforeAll(async () => {
    chain = await startChain()
    // A live server sells only beside a chain whose newest block is less than 30 seconds old.
    blocks = setInterval(() => void chain.mine(1), BLOCK_EVERY_MS)
    await chain.mint(DEV_ACCOUNTS.payer.address, 10_000_000n)
    const at = (name: keyof typeof ports) => `127.0.0.1:${ports[name]}`
    substitutions = [
      { printed: "primary:5432", typed: at("primary"), because: "the servers are on this machine" },
      { printed: "standby:5432", typed: at("standby"), because: "the servers are on this machine" },
      {
        printed: "host=$FOLLOWS port=5432",
        typed: `host=127.0.0.1 port=$(case "$FOLLOWS" in primary) echo ${ports.primary};; standby) echo ${ports.standby};; esac)`,
        because: "the same",
      },
      { printed: "listen_addresses = '*'", typed: "listen_addresses = '127.0.0.1'", because: "loopback only" },
      { printed: "one:8402", typed: at("one"), because: "the instances are on this machine" },
      { printed: "two:8402", typed: at("two"), because: "the instances are on this machine" },
      { printed: "bind :8080", typed: `bind ${at("balancer")}`, because: "port 8080 may be taken" },
      { printed: "10.90.0.10", typed: "127.0.0.1", because: "the balancer is on this machine" },
      { printed: "10.90.0.1", typed: PROXY_WITH_TLS, because: "so is the proxy with TLS" },
      { printed: "https://decisions.example", typed: origin, because: "the balancer is on this machine" },
      { printed: "https://rpc-one.example", typed: chain.url, because: "the node is on this machine" },
      {
        printed: "BIZAUTH_RPC_URL_SECOND: https://rpc-two.example",
        typed: "BIZAUTH_SINGLE_NODE_ACCEPTED_BY: test",
        because: "two nodes on this machine are one host",
      },
      { printed: "--data ./data", typed: "--data ./one", because: "the data directory of the first instance" },
      ...readmeSubstitutions(now),
    ]
    cpSync(EXAMPLE, folder, { recursive: true })
    environment = programOnPath(folder)
    writeFileSync(join(folder, "relayer.key"), DEV_KEYS[1], { mode: 0o600 })
    writeFileSync(join(folder, "wallet.key"), DEV_KEYS[3], { mode: 0o600 })
    await setUp()
    for (const name of ["one", "two"] as const) await untilOpened(`http://${at(name)}`)
  }, 180_000)

  afterAll(async () => {
    clearInterval(blocks)
    await compose?.close()
    await chain?.stop()
    directory[Symbol.dispose]()
  })

  test("every text that is typed otherwise is in the files or pages", () => {
    const files = ["compose.yaml", "haproxy.cfg", "postgresql.conf", "follow.sh"].map((name) =>
      readFileSync(join(EXAMPLE, name), "utf8"),
    )
    const all = [...files, ...["docs/scale.md", "docs/operate.md", "README.md"].map((page) => sourceText(page))].join(
      "\n",
    )
    for (const { printed } of [...substitutions, ...own.one, balancerPort]) expect(all).toContain(printed)
  })

  test("README's purchase through the balancer gives an answer that permits the payment, and one transfer", async () => {
    const readme = sourceText("README.md")
    const draft = /<!-- draft -->\n```json\n([\s\S]*?)```/.exec(readme)?.[1] ?? ""
    writeFileSync(join(folder, "draft.json"), typed(draft))
    for (const line of shellBlocks(textBetween(readme, "## Buy a first answer", "The other products")).flat())
      await type(line)
    const read = (name: string) => readFileSync(join(folder, name), "utf8")
    expect(JSON.parse(read("delivery.json"))).toMatchObject({ decision: "ALLOW", machine_action: "RELEASE_PAYMENT" })
    expect(read("again.json")).toBe(read("delivery.json"))
    const transfers = await chain.transfersTo(PAY_TO)
    expect(transfers.map(({ from, value }) => ({ from, value }))).toEqual([
      { from: DEV_ACCOUNTS.payer.address, value: FEE_ATOMIC },
    ])
  }, 60_000)

  test("both instances answer, in turn; without one the other answers all, and it comes back", async () => {
    const served = async (calls: number) => {
      const before = await requestsOf()
      for (let n = 0; n < calls; n++) expect((await fetch(`${origin}/v1/us/federal/source-health`)).status).toBe(200)
      const after = await requestsOf()
      return { one: after.one - before.one, two: after.two - before.two }
    }
    expect(await served(10)).toEqual({ one: 5, two: 5 })
    await compose.kill("one")
    expect((await served(6)).two).toBe(6)
    await compose.up(["one"])
    await until("the balancer uses it again", async () => (await served(4)).one > 0, { everyMs: 200 })
  })

  test("the primary waits for its standby by the file, every service starts again, and each health check is the one that ran", async () => {
    const shown = (text: string) => compose.query("primary", text)
    expect(shown("SELECT sync_state FROM pg_stat_replication")).toBe("sync")
    expect(shown("SHOW synchronous_commit")).toBe("on")
    expect(shown("SELECT rolsuper OR rolreplication FROM pg_roles WHERE rolname = 'bizauth'")).toBe("f")
    for (const [name, { restart, healthcheck }] of Object.entries(compose.file.services)) {
      expect([name, restart]).toEqual([name, "unless-stopped"])
      expect(healthcheck?.test[0]).toBe("CMD")
    }
  })

  const statusFrom = (address: string, forwarded: string) => {
    const path = "/v1/us/decision-gates/release-payment-to-supplier/recover"
    const words = [
      ...["-s", "-o", "/dev/null", "-w", "%{http_code}", "--interface", address],
      ...["-H", `x-forwarded-for: ${forwarded}`, "-H", "content-type: application/json", "-d", "{}"],
    ]
    return spawnSync("curl", [...words, origin + path], { encoding: "utf8" }).stdout
  }
  /** Ten a minute at each of two instances. */
  const allowed = 20
  const none429 = (statuses: readonly string[]) => expect(new Set(statuses).has("429")).toBe(false)

  test("the limits count a client by its address behind the balancer, whatever it writes into X-Forwarded-For", () => {
    const statuses = Array.from({ length: allowed + 4 }, (_, n) => statusFrom("127.0.0.2", `203.0.113.${n}`))
    none429(statuses.slice(0, allowed))
    expect(statuses.slice(allowed)).toEqual(["429", "429", "429", "429"])
    expect(statusFrom("127.0.0.3", "127.0.0.2")).not.toBe("429")
  })

  test("behind the proxy with TLS each client is one by the address that the proxy writes", () => {
    none429(Array.from({ length: allowed + 4 }, (_, n) => statusFrom(PROXY_WITH_TLS, `198.51.100.${n}`)))
    const ofOne = Array.from({ length: allowed + 2 }, () => statusFrom(PROXY_WITH_TLS, "198.51.100.100"))
    none429(ofOne.slice(0, allowed))
    expect(ofOne.slice(allowed)).toEqual(["429", "429"])
    expect(statusFrom(PROXY_WITH_TLS, "198.51.100.101")).not.toBe("429")
  })

  test("an instance that is stopped and started again costs no call: one after the other is replaced under load", async () => {
    const statuses = new Map<number, number>()
    let isOver = false
    const caller = async () => {
      while (!isOver) {
        const { status } = await fetch(`${origin}/v1/us/federal/source-health`)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        await Bun.sleep(60)
      }
    }
    const callers = Array.from({ length: 2 }, caller)
    for (const name of ["one", "two"]) {
      await compose.stop(name)
      // The balancer asks once a second, and takes two failures for a fault.
      await Bun.sleep(3_000)
      await compose.up([name])
      await Bun.sleep(1_500)
    }
    isOver = true
    await Promise.all(callers)
    expect([...statuses.keys()]).toEqual([200])
    expect(statuses.get(200)).toBeGreaterThan(100)
  })

  test("a standby whose copy was broken off copies again, and follows", async () => {
    const state = () => compose.query("primary", "SELECT sync_state FROM pg_stat_replication")
    const data = compose.query("standby", "SHOW data_directory")
    await compose.kill("standby")
    // What is there when a kill comes before the last file.
    rmSync(join(data, "global"), { recursive: true })
    mkdirSync(join(data, "copy"))
    await compose.up(["standby"])
    await until("the standby follows", () => state() === "sync")
    // A whole copy is kept.
    await compose.kill("standby")
    writeFileSync(join(data, "kept"), "")
    await compose.up(["standby"])
    await until("the standby follows again", () => state() === "sync")
    expect(existsSync(join(data, "kept"))).toBe(true)
  }, 60_000)

  test("after the primary is lost, the statements of the page make the standby sell", async () => {
    const page = textBetween(sourceText("docs/scale.md"), "### By hand", "### By a program")
    const [promote = "", protectAgain = ""] = [...page.matchAll(/^```sql\n([\s\S]*?)^```/gm)].map(
      ([, text = ""]) => text,
    )
    const tell = (text: string) =>
      text
        .trim()
        .split("\n")
        .map((statement) => compose.query("standby", statement))
    await compose.kill("primary")
    tell(promote)
    const promotedAt = performance.now()
    await buySecond()
    expect(performance.now() - promotedAt).toBeLessThan(20_000)
    expect(compose.query("standby", "SHOW synchronous_standby_names")).toBe("")
    tell(protectAgain)
    expect(compose.query("standby", "SHOW synchronous_standby_names")).toBe("standby")
  })

  async function buySecond(): Promise<void> {
    const draft = JSON.parse(readFileSync(join(folder, "draft.json"), "utf8"))
    draft.invoice = { obligation_id: "INV-2026-0043", document_digest: `sha256:${"4".repeat(64)}` }
    writeFileSync(join(folder, "second.json"), JSON.stringify(draft))
    const server = "--server https://decisions.example"
    await type(
      "bizauth agent sign-request --keys ./agent.json --request ./second.json --mandate-key ./org.key --out ./second-request.json",
    )
    const quote = `bizauth agent quote ${server} --request ./second-request.json --out ./second-quote.json`
    await until("a quote", () => succeeds(quote), { everyMs: 500 })
    const pay =
      "bizauth agent pay --quote ./second-quote.json --request ./second-request.json --wallet-key ./wallet.key --out ./second-delivery.json"
    // An instance that has just lost its server may refuse. The same command repeats the same payment.
    await until("the payment is taken", () => succeeds(pay), { everyMs: 500 })
    expect(await chain.transfersTo(PAY_TO)).toHaveLength(2)
  }

  /** How many calls each instance logged. */
  async function requestsOf(): Promise<{ one: number; two: number }> {
    const count = (name: string) => compose.log(name).split('"operation":"get_us_federal_source_health"').length - 1
    await Bun.sleep(100)
    return { one: count("one"), two: count("two") }
  }
})

test.skipIf(haproxy === null)(
  `an instance breaks off: the balancer sends a GET again, and a POST once${NOT_RUN}`,
  async () => {
    using directory = freshDirectory()
    const methods: string[] = []
    /** Is ready, and ends each other connection without an answer. */
    const listen = () =>
      Bun.listen({
        hostname: "127.0.0.1",
        port: 0,
        socket: {
          data: (socket, bytes) => {
            const [method = "", path = ""] = bytes.toString().split(" ")
            if (path === "/readyz") socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            else methods.push(method)
            socket.end()
          },
        },
      })
    const [one, two] = [listen(), listen()]
    const port = freePort()
    const text = [
      ["one:8402", `127.0.0.1:${one.port}`],
      ["two:8402", `127.0.0.1:${two.port}`],
      ["bind :8080", `bind 127.0.0.1:${port}`],
    ].reduce(
      (all, [printed = "", typed = ""]) => all.replaceAll(printed, typed),
      readFileSync(join(EXAMPLE, "haproxy.cfg"), "utf8"),
    )
    const file = join(directory.path, "haproxy.cfg")
    writeFileSync(file, text)
    const balancer = Bun.spawn([haproxy ?? "", "-db", "-f", file], { stdio: ["ignore", "ignore", "ignore"] })
    try {
      const send = (method: string) =>
        fetch(`http://127.0.0.1:${port}/`, { method, keepalive: false }).then(({ status }) => status)
      await until("the balancer listens", () =>
        send("GET").then(
          () => true,
          () => false,
        ),
      )
      methods.length = 0
      expect(await send("POST")).toBe(502)
      expect(methods).toEqual(["POST"])
      expect(await send("GET")).toBe(502)
      expect(methods.filter((method) => method === "GET").length).toBeGreaterThan(1)
    } finally {
      balancer.kill("SIGKILL")
      await balancer.exited
      one.stop(true)
      two.stop(true)
    }
  },
)
