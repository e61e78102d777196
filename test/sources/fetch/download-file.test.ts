import { describe, expect } from "bun:test"
import { gzipSync } from "node:zlib"
import { realNetwork, requestOptions } from "../../../src/sources/fetch/network.ts"
import { NoRoom } from "../../../src/sources/import/room.ts"
import { download, LIST, NOW, requested, SECRET } from "../../fixtures/downloads.ts"
import { type Answer, file, internet, PUBLIC, partly, publisher, redirect, status } from "../../fixtures/publisher.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

describe("a good file", () => {
  test("is stored in the staging folder under its name, complete and with its tags", async () => {
    const { got, text, seen, requests } = await requested({
      "/list.csv": file(LIST, { ETag: '"1"', "Last-Modified": "Thu, 08 Oct 2026 09:00:00 GMT" }),
    })
    expect(text).toBe(LIST)
    expect(got).toMatchObject({ bytes: LIST.length, etag: '"1"', lastModified: "Thu, 08 Oct 2026 09:00:00 GMT" })
    expect(seen.at(-1)).toEqual([LIST.length, LIST.length])
    expect(requests[0]?.headers).toMatchObject({
      host: "lists.example.test",
      "user-agent": "bizauth/test",
      "accept-encoding": "identity",
    })
  })

  test("is read in chunks, and unpacked even if compression was not requested", async () => {
    const packed = gzipSync(LIST)
    const chunked = Buffer.concat([Buffer.from(`${LIST.length.toString(16)}\r\n${LIST}\r\n0\r\n\r\n`)])
    expect((await requested({ "/list.csv": partly({ "Transfer-Encoding": "chunked" }, chunked, true) })).text).toBe(
      LIST,
    )
    const unpacked = await requested({ "/list.csv": file(packed, { "Content-Encoding": "gzip" }) })
    expect([unpacked.text, unpacked.fault]).toEqual([LIST, null])
  })

  test("is fetched through the publisher's redirect to another host, without the query's key or a referrer", async () => {
    const { text, dialled, requests, got } = await requested(
      { "/list.csv": redirect("https://files.example.test/p?X-Amz-Signature=abc"), "/p": file(LIST) },
      { url: `https://lists.example.test/list.csv?${SECRET}&fileName=a` },
    )
    expect(text).toBe(LIST)
    expect(dialled.map(({ address, serverName }) => [address, serverName])).toEqual([
      [PUBLIC, "lists.example.test"],
      ["2606:4700::1111", "files.example.test"],
    ])
    expect(Object.keys(requests[1]?.headers ?? {}).sort()).toEqual([
      "accept",
      "accept-encoding",
      "connection",
      "host",
      "user-agent",
    ])
    expect(got).toMatchObject({ url: "https://lists.example.test/list.csv?fileName=a" })
  })
})

describe("a conditional request", () => {
  const known = {
    name: "list.csv",
    url: "https://lists.example.test/list.csv",
    etag: '"1"',
    last_modified: null,
    bytes: 3,
  }

  test("keeps its condition through every redirect and accepts 304", async () => {
    const answers = { "/list.csv": redirect("https://files.example.test/p"), "/p": file(LIST, { ETag: '"1"' }) }
    const { got, requests, left } = await requested(answers, { known })
    expect([got, left]).toEqual(["NOT_MODIFIED", []])
    expect(requests.map(({ headers }) => headers["if-none-match"])).toEqual(['"1"', '"1"'])
    expect((await requested({ "/list.csv": file(LIST, { ETag: '"2"' }) }, { known })).text).toBe(LIST)
  })

  test("is not sent with the tag of another address, and a 304 to an unconditional request is an error", async () => {
    const elsewhere = { ...known, url: "https://lists.example.test/other.csv" }
    const { fault, requests } = await requested({ "/list.csv": status(304) }, { known: elsewhere })
    expect(fault?.code).toBe("STATUS")
    expect(requests[0]?.headers["if-none-match"]).toBeUndefined()
  })
})

test("five redirects are followed, six are refused", async () => {
  const chain = (length: number) =>
    Object.fromEntries(
      Array.from({ length }, (_, index) => [index === 0 ? "/list.csv" : `/${index}`, redirect(`/${index + 1}`)]),
    )
  expect((await requested({ ...chain(5), "/5": file(LIST) })).text).toBe(LIST)
  expect((await requested({ ...chain(6), "/6": file(LIST) })).fault?.code).toBe("TOO_MANY_REDIRECTS")
})

test("Retry-After is read as seconds or a date, and limited to a day", async () => {
  const until = async (text: string) =>
    (await requested({ "/list.csv": status(503, { "Retry-After": text }) })).fault?.options.retryAfterUntil
  expect(await until("120")).toBe(NOW + 120_000)
  expect(await until(new Date(NOW + 3_600_000).toUTCString())).toBe(NOW + 3_600_000)
  expect(await until("99999999")).toBe(NOW + 86_400_000)
  expect(await until(new Date(NOW - 3_600_000).toUTCString())).toBe(NOW)
  expect(await until("soon")).toBeUndefined()
})

describe("the address is checked when the connection is made", () => {
  const refused: readonly (readonly [what: string, addresses: readonly string[]])[] = [
    ["a private address", ["10.0.0.7"]],
    ["the loopback address", ["127.0.0.1"]],
    ["a public and an inner address", [PUBLIC, "192.168.0.1"]],
    ["an IPv4 address written as IPv6", ["::ffff:10.0.0.7"]],
    ["a unique local address", ["fd12:3456::1"]],
  ]
  test.each(refused)("a name with %s gets no connection", async (_what, addresses) => {
    await using server = await publisher(true, { "/list.csv": file(LIST) })
    const net = internet({ "lists.example.test": [addresses] }, server.port)
    const { fault } = await download(net)
    expect([fault?.code, net.dialled, server.requests]).toEqual(["ADDRESS_REFUSED", [], []])
  })

  test("a name that resolves to an inner address at its second look-up is refused", async () => {
    await using server = await publisher(true, { "/list.csv": redirect("/again.csv"), "/again.csv": file(LIST) })
    const net = internet({ "lists.example.test": [[PUBLIC], ["127.0.0.1"]] }, server.port)
    const { fault } = await download(net)
    expect(fault?.code).toBe("ADDRESS_REFUSED")
    expect(net.dialled.map(({ address }) => address)).toEqual([PUBLIC])
    expect(server.requests.map(({ path }) => path)).toEqual(["/list.csv"])
  })

  test("the machine's own resolver is used, and its answer for this machine is refused", async () => {
    expect((await download(realNetwork, { url: "https://localhost/list.csv" })).fault?.code).toBe("ADDRESS_REFUSED")
  })

  test("the runtime gets only the checked address and cannot resolve the name again", () => {
    const dial = {
      isSecure: true,
      address: PUBLIC,
      port: 443,
      serverName: "lists.example.test",
      path: "/",
      headers: {},
    }
    expect(requestOptions(dial)).toMatchObject({ host: PUBLIC, servername: "lists.example.test", agent: false })
  })

  test("after a failed connection the name's next address is used", async () => {
    await using server = await publisher(true, { "/list.csv": file(LIST) })
    const net = internet({ "lists.example.test": [["2606:4700::1111", PUBLIC]] }, server.port)
    const open = net.open
    net.open = (dial) => (dial.address === PUBLIC ? open(dial) : internet({}, 1).open(dial))
    expect((await download(net)).text).toBe(LIST)
  })
})

describe("a server that cannot be reached", () => {
  test("an unknown name, a closed port and a silent name server each get their code", async () => {
    expect((await download(internet({}, 1))).fault?.code).toBe("DNS_FAILED")
    expect((await download(internet({ "lists.example.test": [[PUBLIC]] }, 1))).fault?.code).toBe("CONNECT_FAILED")
    const dumb = { ...internet({}, 1), resolve: () => new Promise<never>(() => {}) }
    expect((await download(dumb, { limits: { resolveMs: 20 } })).fault?.code).toBe("DNS_FAILED")
  })

  test("a server that accepts the connection and never speaks TLS gives CONNECT_TIMED_OUT", async () => {
    await using server = await publisher(false)
    const net = internet({ "lists.example.test": [[PUBLIC]] }, server.port)
    expect((await download(net, { limits: { connectMs: 50 } })).fault?.code).toBe("CONNECT_TIMED_OUT")
  })

  test("a certificate for another name is refused, even at the right address", async () => {
    await using server = await publisher(true, { "/list.csv": file(LIST) })
    const net = internet({ "other.example.test": [[PUBLIC]] }, server.port)
    const { fault } = await download(net, { url: "https://other.example.test/list.csv" })
    expect([fault?.code, server.requests]).toEqual(["TLS_FAILED", []])
  })
})

test("neither a proxy nor a TLS variable of the environment changes the server or its checks", async () => {
  await using server = await publisher(true, { "/list.csv": file(LIST) })
  const net = internet({ "lists.example.test": [[PUBLIC]], "other.example.test": [[PUBLIC]] }, server.port)
  const given = {
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
    HTTPS_PROXY: "http://127.0.0.1:9",
    HTTP_PROXY: "http://127.0.0.1:9",
  }
  const before = Object.fromEntries(Object.keys(given).map((name) => [name, process.env[name]]))
  Object.assign(process.env, given)
  try {
    expect((await download(net)).text).toBe(LIST)
    expect((await download(net, { url: "https://other.example.test/list.csv" })).fault?.code).toBe("TLS_FAILED")
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
})

describe("a disk", () => {
  const answers = { "/list.csv": file(LIST) }

  test("without room for the file and the service's reserve is never filled", async () => {
    const roomy = 256 * 1024 * 1024 + LIST.length
    expect((await requested(answers, { free: () => roomy })).text).toBe(LIST)
    await expect(requested(answers, { free: () => roomy - 1 })).rejects.toBeInstanceOf(NoRoom)
  })

  test("that fails during a write is reported as itself, not as the publisher's fault, and is not tried again", async () => {
    const full = Object.assign(new Error("no space left"), { code: "ENOSPC" })
    const fails = () => {
      throw full
    }
    await expect(requested(answers, { free: fails, limits: { tries: 3 } })).rejects.toBe(full)
  })
})

describe("a second try", () => {
  test("follows a temporary fault, after a growing pause", async () => {
    await using server = await publisher(true, { "/list.csv": status(500) })
    const net = internet({ "lists.example.test": [[PUBLIC]] }, server.port)
    const { fault, waited } = await download(net, { limits: { tries: 3 } })
    expect([fault?.code, waited, server.requests.length]).toEqual(["STATUS", [10, 40], 3])
  })

  test("returns the file after the first answer was cut", async () => {
    let tries = 0
    const answers = (): Answer => (socket, request) =>
      (tries++ === 0 ? partly({ "Content-Length": 500 }, LIST, true) : file(LIST))(socket, request)
    const { text, left } = await requested({ "/list.csv": answers() }, { limits: { tries: 2 } })
    expect([text, left]).toEqual([LIST, ["list.csv"]])
  })

  test("does not follow a definite answer of the publisher or an address that we refuse", async () => {
    for (const reply of [status(404), status(403), status(429), redirect("http://files.example.test/")]) {
      const { waited } = await requested({ "/list.csv": reply }, { limits: { tries: 3 } })
      expect(waited).toEqual([])
    }
  })
})

describe("the operator's mirror", () => {
  test("may use http at an address of the operator's own network, only for its exact origin", async () => {
    await using server = await publisher(false, { "/m/list.csv": file(LIST), "/list.csv": file(LIST) })
    const net = internet({ "mirror.example.test": [["10.0.0.7"]] }, server.port)
    const mirror = "http://mirror.example.test:8080/m"
    const at = (url: string) => download(net, { url, mirror })
    expect((await at("http://mirror.example.test:8080/m/list.csv")).text).toBe(LIST)
    expect((await at("http://mirror.example.test:8081/list.csv")).fault?.code).toBe("URL_REFUSED")
    expect((await at("http://mirror.example.test/list.csv")).fault?.code).toBe("URL_REFUSED")
    expect((await at("https://mirror.example.test/list.csv")).fault?.code).toBe("ADDRESS_REFUSED")
  })

  test("follows redirects under the rules for every other host", async () => {
    const mirror = "http://mirror.example.test:8080/"
    const codes: (string | undefined)[] = []
    for (const to of ["http://10.0.0.8/x", "https://10.0.0.7/x", "http://mirror.example.test:9090/x"]) {
      await using server = await publisher(false, { "/list.csv": redirect(to), "/x": file(LIST) })
      const net = internet({ "mirror.example.test": [["10.0.0.7"]] }, server.port)
      codes.push((await download(net, { url: `${mirror}list.csv`, mirror })).fault?.code)
      expect(server.requests).toHaveLength(1)
    }
    expect(codes).toEqual(["URL_REFUSED", "ADDRESS_REFUSED", "URL_REFUSED"])
  })
})
