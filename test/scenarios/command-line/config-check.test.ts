/** Whatever `serve` rejects at its start, `config check` rejects with the same message and the same exit code. */
import { describe, expect, test } from "bun:test"
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { writeSizeRecord } from "../../../src/data/log-size-record.ts"
import { initialised, run } from "../../fixtures/binary.ts"
import { DEV_ACCOUNTS, DEV_KEYS } from "../../fixtures/chain.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { howMany, sample } from "../../fixtures/long.ts"
import { makeOlderDirectory } from "../../fixtures/older-directory.ts"
import { overriding } from "../../fixtures/overriding.ts"

const selling = (more: readonly string[]) => [
  ...["--payments", "test", "--rpc-url", "http://127.0.0.1:1", "--pay-to", DEV_ACCOUNTS.payTo.address],
  ...more,
]

const BEHIND_SOCKET = ["--base-url", "https://svc.example", "--trusted-proxies", "unix:"]

interface Refused {
  readonly what: string
  /** The change to the data directory before the command runs. */
  readonly harm?: (data: string) => void
  readonly flags?: (data: string) => readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly exit: number
  readonly says: RegExp
}

const ROWS: readonly Refused[] = [
  { what: "payments of another environment", flags: () => ["--payments", "live"], exit: 6, says: /was made for test/ },
  {
    what: "an ACP channel that is none of the six",
    flags: () => ["--acp-channel", "commerce"],
    exit: 6,
    says: /acp_channel = commerce is not one of agent_id_channels/,
  },
  {
    what: "half the settings of payments",
    flags: () => ["--payments", "test"],
    exit: 6,
    says: /rpc_url is needed\npay_to is needed\nrelayer_key_file is needed/,
  },
  {
    what: "a relayer key file that is not there",
    flags: (data) => selling(["--relayer-key-file", join(data, "none.key")]),
    exit: 6,
    says: /relayer_key_file: \S+ is missing/,
  },
  {
    what: "a channel of agent commerce that is not one of the six",
    flags: () => ["--acp-channel", "jobs"],
    exit: 6,
    says: /acp_channel = jobs is not one of agent_id_channels: acp,mcp,/,
  },
  {
    what: "an unknown source among those switched off",
    flags: () => ["--sources-disabled", "US_OFAC_SND"],
    exit: 6,
    says: /sources_disabled: unknown source US_OFAC_SND/,
  },
  {
    what: "fetching beside pinned snapshot keys",
    flags: () => ["--sources-fetch", "on", "--source-manifest-keys", "A".repeat(43)],
    exit: 6,
    says: /sources_fetch = on, but source_manifest_keys/,
  },
  {
    what: "a Companies House key file that is not there",
    flags: (data) => ["--uk-companies-house-key-file", join(data, "none.key")],
    exit: 6,
    says: /uk_companies_house_key_file: \S+ is missing/,
  },
  {
    what: "another issuer than the identities have",
    flags: () => ["--issuer-id", "other"],
    exit: 6,
    says: /issuer_id is other, but the statement identity of this data directory was enrolled for/,
  },
  {
    what: "a Unix socket without a forwarded address",
    flags: (data) => ["--listen", `unix:${data}/http.sock`, "--base-url", "https://svc.example"],
    exit: 6,
    says: /listen = unix:\S+ is a Unix socket, whose peers have no address: add unix: to trusted_proxies/,
  },
  {
    what: "a Unix socket without a public origin",
    flags: (data) => ["--listen", `unix:${data}/http.sock`, "--trusted-proxies", "unix:"],
    exit: 6,
    says: /listen = unix:\S+ is a Unix socket, which has no origin: set base_url/,
  },
  {
    what: "a Unix socket whose path is too long",
    flags: () => ["--listen", `unix:/${"a".repeat(107)}`, ...BEHIND_SOCKET],
    exit: 6,
    says: /listen is too long for a Unix socket: 107 bytes at most, and its folder 91/,
  },
  {
    what: "a file at the place of the Unix socket",
    harm: (data) => writeFileSync(join(data, "http.sock"), ""),
    flags: (data) => ["--listen", `unix:${data}/http.sock`, ...BEHIND_SOCKET],
    exit: 6,
    says: /cannot listen on unix:\S+: a file that is not a socket is there/,
  },
  {
    what: "one Unix socket for both listeners",
    flags: (data) => ["--listen", `unix:${data}/s`, "--admin-listen", `${data}/s`, ...BEHIND_SOCKET],
    exit: 6,
    says: /admin_listen and listen are both \/\S+: take another path/,
  },
  {
    what: "an access log in the data directory",
    flags: (data) => ["--access-log", join(data, "bizauth.db")],
    exit: 6,
    says: /access_log = \S+ lies in the data directory/,
  },
  {
    what: "an access log that is not a file",
    flags: () => ["--access-log", "/dev/null"],
    exit: 6,
    says: /access_log = \/dev\/null is not a regular file; name a file in another folder/,
  },
  {
    what: "an access log in a folder that does not exist",
    flags: (data) => ["--access-log", join(data, "..", "none", "access.log")],
    exit: 6,
    says: /access_log = \S+ cannot be written in \S+: ENOENT/,
  },
  {
    what: "an address of another machine",
    flags: () => ["--listen", "192.0.2.1:8402"],
    exit: 6,
    says: /cannot listen on 192\.0\.2\.1:8402: /,
  },
  {
    what: "a port that no machine has",
    flags: () => ["--listen", "127.0.0.1:70000"],
    exit: 6,
    says: /listen \(flag\) must have a port from 0 to 65535/,
  },
  {
    what: "an admin listener for other machines without a token",
    flags: () => ["--admin-listen", "0.0.0.0:0"],
    exit: 6,
    says: /admin_listen = 0\.0\.0\.0:0 can be reached from other machines: set admin_token_file/,
  },
  {
    what: "a short token of the admin listener",
    harm: (data) => writeFileSync(join(data, "token"), "short\n", { mode: 0o600 }),
    flags: (data) => ["--admin-listen", "0.0.0.0:0", "--admin-token-file", join(data, "token")],
    exit: 6,
    says: /admin_token_file: \S+ must hold one token of 32 to 200 visible ASCII characters/,
  },
  {
    what: "a socket of the admin listener in a folder that does not exist",
    flags: (data) => ["--admin-listen", join(data, "none", "admin.sock")],
    exit: 6,
    says: /admin_listen/,
  },
  {
    what: "a variable that the service must not run with",
    environment: { NODE_TLS_REJECT_UNAUTHORIZED: "0" },
    exit: 2,
    says: /NODE_TLS_REJECT_UNAUTHORIZED \(environment\) lets any server pass/,
  },
  { what: "a missing directory", harm: (data) => rmSync(data, { recursive: true }), exit: 7, says: /does not exist/ },
  {
    what: "a missing database",
    harm: (data) => rmSync(join(data, "bizauth.db")),
    exit: 7,
    says: /bizauth\.db is missing, .* deleted or moved/,
  },
  {
    what: "a database of arbitrary bytes",
    harm: (data) => writeFileSync(join(data, "bizauth.db"), Buffer.alloc(200_000, "x")),
    exit: 7,
    says: /is damaged \(SQLITE_NOTADB\)/,
  },
  {
    what: "a missing quote key",
    harm: (data) => rmSync(join(data, "keys", "quote-hmac.key")),
    exit: 7,
    says: /quote-hmac\.key is missing/,
  },
  {
    what: "a database that others may change",
    harm: (data) => chmodSync(join(data, "bizauth.db"), 0o666),
    exit: 7,
    says: /can be changed by other users/,
  },
  {
    what: "an older database than the log size record",
    harm: (data) => writeSizeRecord(data, { size: 99, rootHash: new Uint8Array(32), at: "2026-11-22T10:00:00.000Z" }),
    exit: 7,
    says: /this is an older copy/,
  },
]

describe(`config check and serve reject the same settings (${howMany(ROWS.length, 10)})`, () => {
  test.each(sample(ROWS, 10))("$what", async ({ harm, flags, environment = {}, exit, says }) => {
    using fresh = freshDirectory()
    const data = await initialised(fresh.path)
    harm?.(data)
    const args = ["--data", data, ...overriding(["--listen", "127.0.0.1:0"], flags?.(data) ?? [])]
    for (const command of [["serve"], ["config", "check"]]) {
      const ran = await run([...command, ...args], { environment })
      expect([command, ran.exit, ran.out]).toEqual([command, exit, ""])
      expect(ran.err).toMatch(says)
    }
  })

  test("faults of the settings and of the directory are reported together", async () => {
    using fresh = freshDirectory()
    const data = await initialised(fresh.path)
    rmSync(join(data, "keys", "quote-hmac.key"))
    const flags = ["--sources-disabled", "NONE", "--payments", "test"]
    const { exit, err } = await run(["config", "check", "--data", data, ...flags])
    expect(exit).toBe(6)
    for (const part of ["rpc_url is needed", "unknown source NONE", "quote-hmac.key is missing"]) {
      expect(err).toContain(part)
    }
  })

  test("config check rejects a fee address that equals the relayer's address", async () => {
    using fresh = freshDirectory()
    const data = await initialised(fresh.path)
    const key = join(fresh.path, "relayer.key")
    writeFileSync(key, DEV_KEYS[2], { mode: 0o600 })
    const { exit, err } = await run(["config", "check", "--data", data, ...selling(["--relayer-key-file", key])])
    expect([exit, err]).toEqual([6, expect.stringContaining("pay_to")])
  })
})

describe("config check changes nothing", () => {
  test("a database that another process has open is reported and stays open", async () => {
    using fresh = freshDirectory()
    const data = await initialised(fresh.path)
    const database = join(data, "bizauth.db")
    chmodSync(database, 0o644)
    const { exit, err } = await run(["config", "check", "--data", data])
    expect([exit, err]).toEqual([0, expect.stringContaining("bizauth.db is open to other users (mode 0644)")])
    expect(statSync(database).mode & 0o777).toBe(0o644)
  })

  test("an older database that serve would migrate passes, is reported as older, and is not migrated", async () => {
    using fresh = freshDirectory()
    const data = join(fresh.path, "data")
    await makeOlderDirectory(data, Date.UTC(2026, 0, 1))
    const before = readFileSync(join(data, "bizauth.db"))
    const { exit, err } = await run(["config", "check", "--data", data])
    expect([exit, err]).toEqual([
      0,
      expect.stringMatching(/^note: the database needs migration \d{4}_\w+; bizauth serve/),
    ])
    expect(readFileSync(join(data, "bizauth.db")).equals(before)).toBe(true)
    const live = await run(["config", "check", "--data", data, "--payments", "live"])
    expect([live.exit, live.err]).toEqual([6, expect.stringContaining("this data directory was made for test")])
  })

  test("a host other than the log's host gives a note, not an error", async () => {
    using fresh = freshDirectory()
    const data = await initialised(fresh.path)
    const { exit, err } = await run(["config", "check", "--data", data, "--base-url", "https://other.example"])
    expect([exit, err]).toEqual([0, expect.stringContaining("the transparency log is named 127.0.0.1:8402/")])
  })
})
